#include <histedit.h>
#include <stdint.h>

/* el_set, el_get and history take arguments of any kind, which Swift cannot pass: a function for each use. */

static inline char *edit_prompt(EditLine *editor) {
    static char prompt[] = "> ";
    (void)editor;
    return prompt;
}

/* An editor of lines on standard input and output. */
static inline EditLine *edit_init(const char *program) {
    EditLine *editor = el_init(program, stdin, stdout, stderr);
    if (editor) el_set(editor, EL_PROMPT, edit_prompt);
    return editor;
}

static inline void edit_set_owner(EditLine *editor, void *owner) {
    el_set(editor, EL_CLIENTDATA, owner);
}

static inline void *edit_owner(EditLine *editor) {
    void *owner = 0;
    el_get(editor, EL_CLIENTDATA, &owner);
    return owner;
}

/* Keys as in Emacs, TAB and what it does. */
static inline void edit_set_keys(EditLine *editor, unsigned char (*complete)(EditLine *, int)) {
    el_set(editor, EL_EDITOR, "emacs");
    el_set(editor, EL_ADDFN, "complete-request", "Complete a request", complete);
    el_set(editor, EL_BIND, "^I", "complete-request", NULL);
    el_set(editor, EL_BIND, "^R", "em-inc-search-prev", NULL);
}

/* Where characters come from: 1 and a character, 0 at the end, -1 for an error. */
static inline void edit_set_reader(EditLine *editor, int (*read)(EditLine *, wchar_t *)) {
    el_set(editor, EL_GETCFN, read);
}

static inline void edit_refresh(EditLine *editor) {
    el_set(editor, EL_REFRESH);
}

static inline void edit_set_history(EditLine *editor, History *lines, int size) {
    HistEvent event;
    history(lines, &event, H_SETSIZE, size);
    history(lines, &event, H_SETUNIQUE, 1);
    el_set(editor, EL_HIST, history, lines);
}

static inline void edit_remember(History *lines, const char *line) {
    HistEvent event;
    history(lines, &event, H_ENTER, line);
}
