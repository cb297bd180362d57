extension ReportPage {
    /// Colours are those of the pages that `web` serves.
    static let style = """
        :root { --ink: light-dark(#1b2128, #e4e8ec); --paper: light-dark(#fff, #14181d); --line: light-dark(#d8dce1, #343c45);
          --panel: light-dark(#f5f6f8, #1b2026); --muted: light-dark(#555e68, #a0abb6); --accent: light-dark(#0a5cad, #82bbf3);
          --edge: light-dark(#868f99, #75808c); --fail: light-dark(#b23a00, #ff9a6e); --fail-ground: light-dark(#fdeee6, #3a1f14);
          --warning: light-dark(#7d5200, #e8b857); --warning-ground: light-dark(#fdf5dd, #332811); --pass: light-dark(#00694a, #5fcca3) }
        body { max-width: 75rem; margin: 0 auto; padding: 1rem clamp(.75rem, 3vw, 2rem) 3rem }
        h1 { font-size: 1.5rem; line-height: 1.25; overflow-wrap: anywhere } h2 { margin: 2.2rem 0 .6rem; font-size: 1.25rem;
          border-bottom: 1px solid var(--line) } h3 { font-size: 1.05rem; margin: 1.4rem 0 .4rem; overflow-wrap: anywhere }
        h4 { font-size: 1rem; margin: 0; font-weight: 600; overflow-wrap: anywhere }
        a { color: var(--accent) } nav ul { display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; list-style: none; padding: 0; margin: 0 }
        code, pre { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: .88em; overflow-wrap: anywhere }
        pre { background: var(--panel); padding: .6rem .8rem; overflow-x: auto; white-space: pre-wrap }
        .muted, footer, dt { color: var(--muted) } footer { margin-top: 2rem; font-size: .85rem }
        .outcome { font-size: 1.15rem; font-weight: 600 } .outcome.pass { color: var(--pass) } .outcome.fail { color: var(--fail) }
        .notice { background: var(--warning-ground); border-left: 4px solid var(--warning); padding: .4rem .8rem; overflow-wrap: anywhere }
        dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .1rem 1rem; margin: .4rem 0 }
        dd { margin: 0; overflow-wrap: anywhere } dt::after { content: ":" }
        .wide { margin: .4rem 0 } .wide:focus-visible, pre:focus-visible { outline: 2px solid var(--accent) }
        th { font-weight: 600; white-space: nowrap } td { vertical-align: top }
        .rule { border: 1px solid var(--line); border-left: 4px solid var(--warning); border-radius: 4px; padding: .6rem .9rem; margin: .7rem 0 }
        .rule.fail { border-left-color: var(--fail) } .rule.fail > h4 > .verdict { color: var(--fail) }
        .rule.warning > h4 > .verdict { color: var(--warning) }
        .finding { margin-top: .8rem; padding-top: .3rem; border-top: 1px solid var(--line) } .finding > p { margin: .2rem 0; font-weight: 600 }
        .finding > .command { font-weight: 400; color: var(--muted) }
        .ladder { width: 100%; font-size: .9rem } .ladder th { padding: .1rem .7rem .1rem 0 } .ladder th, .ladder td { border: 0 }
        .ladder td:first-child { color: var(--muted); white-space: nowrap; width: 1%; padding: .15rem .7rem .15rem 0 }
        .ladder th > span:not(.ends), .ladder .number > span { margin-left: .7rem }
        .ladder .ends { display: flex; justify-content: space-between; gap: 1rem } .ladder .ends bdi { overflow-wrap: anywhere; white-space: normal }
        .ladder td:last-child { position: relative; border-inline: 2px solid var(--edge); padding: .15rem .9rem .5rem; overflow-wrap: anywhere }
        .ladder .other { border-inline-color: transparent }
        .ladder .sent { color: var(--accent) } .ladder .received { color: var(--ink); text-align: right }
        .ladder .sent::after, .ladder .received::after { content: ""; position: absolute; inset: auto 0 .2rem 0; border-top: 1.5px solid currentColor }
        .ladder .sent::before, .ladder .received::before { content: ""; position: absolute; bottom: calc(.2rem - 4px); border: 4.5px solid transparent }
        .ladder .sent::before { right: -1px; border-left: 7px solid currentColor; border-right: 0 }
        .ladder .received::before { left: -1px; border-right: 7px solid currentColor; border-left: 0 }
        .ladder .fail, .ladder .error { color: var(--fail) } .ladder .warning { color: var(--warning) }
        .ladder small { display: block } .ladder .own { background: var(--fail-ground) } .rule.warning .own { background: var(--warning-ground) } .ladder .own td { font-weight: 600 }
        .ladder .pause td:last-child { color: var(--muted); border-inline-style: dashed; text-align: center }
        .unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap }
        .charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(21rem, 100%), 1fr)); gap: .6rem } .charts figure { margin: 0 }
        figcaption { color: var(--muted); font-size: .85rem; padding-left: 3.4rem; overflow-wrap: anywhere }
        @media (max-width: 40rem) { .ladder th > span:not(.ends), .ladder .number > span { display: block; margin: 0; font-weight: 400 }
          .rule { padding: .5rem .6rem } .ladder td:last-child { padding-inline: .6rem } .ladder td:first-child { padding-right: .5rem } }
        .charts svg { width: 100% } details { margin: .8rem 0 } summary { cursor: pointer }
        """
}
