/* What only the build knows. */

/* The commit of this program: eight digits; empty where the build did not say. */
const char *gattbench_commit(void);
