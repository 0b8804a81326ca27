// SPDX-License-Identifier: Apache-2.0

const LIGHT =
  '--ink:#1c2024;--soft:#5c6670;--rule:#d9dee3;--page:#ffffff;--box:#f5f7f9;--bar:#3466a5;'
const DARK =
  '--ink:#e4e8ec;--soft:#9aa5b0;--rule:#39424b;--page:#15191d;--box:#1e242a;--bar:#6f9fdc;'

/** Of the whole page: both schemes, from 360 pixels on, and on paper. */
export const PAGE_STYLE = `
:root{color-scheme:light dark;${LIGHT}}
@media (prefers-color-scheme:dark){:root{${DARK}}}
*{box-sizing:border-box}
body{margin:0 auto;padding:1.5rem 1rem 4rem;max-width:46rem;background:var(--page);color:var(--ink);
font:1rem/1.55 system-ui,sans-serif;overflow-wrap:break-word}
h1{font-size:1.7rem;line-height:1.2;margin:.5rem 0}
h2{font-size:1.35rem;line-height:1.25;margin:3rem 0 .75rem;padding-top:1rem;border-top:2px solid var(--rule)}
h2 .place,h3 .place{display:block;font-size:.85rem;font-weight:400;color:var(--soft)}
h3{font-size:1.05rem;margin:1.75rem 0 .4rem}
h4{font-size:.95rem;margin:1.25rem 0 .3rem}
p{margin:.5rem 0}
ul{padding-left:1.2rem;margin:.5rem 0}
nav ul{list-style:none;padding:0}
a{color:inherit;text-underline-offset:.15em}
.soft,figcaption,small{color:var(--soft)}
.soft,figcaption{font-size:.875rem}
.apart{background:var(--box);border-left:3px solid var(--bar);padding:.4rem 1rem;margin:1rem 0}
.apart h3{margin-top:.4rem}
.wide{overflow-x:auto;margin:.75rem 0}
table{border-collapse:collapse;font-size:.875rem;font-variant-numeric:tabular-nums}
th,td{text-align:right;vertical-align:top;padding:.3rem .6rem;border-bottom:1px solid var(--rule)}
th:first-child{text-align:left;padding-left:0;min-width:9rem}
th{font-weight:500}thead th{color:var(--soft);font-weight:400;vertical-align:bottom}
td.words,.words thead th{text-align:left}
tbody th a{text-decoration-color:var(--rule)}
td small{display:block;white-space:nowrap}
figure{margin:1.25rem 0}
figure svg{display:block;width:100%;max-width:36rem;height:auto}
code{font-size:.9em}
svg .background{fill:none}
svg>rect{fill:none}
svg text{fill:var(--ink)}
svg [stroke="#ddd"]{stroke:var(--rule)}
svg [stroke="#888"]{stroke:var(--soft)}
svg [stroke="black"]{stroke:var(--ink)}
svg [fill="#3466a5"]{fill:var(--bar)}
@media print{:root{color-scheme:light;${LIGHT}}body{max-width:none;padding:0;font-size:10pt}
h2,h3,h4{break-after:avoid}figure,tr,.apart{break-inside:avoid}.wide{overflow:visible}nav{display:none}}
`
