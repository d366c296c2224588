"""How pages look: in light and dark, on a narrow screen, on paper; with fonts of the reader."""

from __future__ import annotations

TONES = 12
"""Colours that tell parts apart. White text on each has a contrast of 4.5 to 1 or more by day, dark
text by night; letters tell the parts apart as well."""

_LIGHT = """
  --paper: #ffffff; --panel: #f4f6f8; --ink: #16191d; --faint: #515a64; --line: #c3cad1;
  --warn: #8a4b00; --bad: #a3141e;
  --t0: #0b5cad; --t1: #a63b14; --t2: #1b6e38; --t3: #8a2f8f; --t4: #755800; --t5: #006b72;
  --t6: #a8325e; --t7: #4b4fb8; --t8: #59636d; --t9: #5f6c00; --t10: #8a4b12; --t11: #38658a;
"""
_DARK = """
  --paper: #14171b; --panel: #1e2329; --ink: #e8ebee; --faint: #aab3bd; --line: #434c56;
  --warn: #f0b35c; --bad: #ff9a94;
  --t0: #6cb2ff; --t1: #ff9a6b; --t2: #6fd08c; --t3: #dc94e0; --t4: #e0c04a; --t5: #56cdd6;
  --t6: #ff8fb3; --t7: #a5a9ff; --t8: #aab4be; --t9: #c3d35a; --t10: #d9a066; --t11: #8fbfe0;
"""
_TONE_RULES = "".join(f".t{n} {{ --tone: var(--t{n}); }} " for n in range(TONES))

STYLE = f"""
:root {{ color-scheme: light dark; {_LIGHT} }}
@media (prefers-color-scheme: dark) {{ :root {{ {_DARK} }} }}
@media print {{ :root {{ color-scheme: light; {_LIGHT} }} }}
{_TONE_RULES}
* {{ box-sizing: border-box; }}
body {{ margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }}
main, header, footer {{ max-width: 72rem; margin: 0 auto; padding: 0 1rem; }}
header {{ padding-top: 1.5rem; }} footer {{ padding-bottom: 2rem; color: var(--faint); }}
h1, h2, h3 {{ line-height: 1.2; overflow-wrap: anywhere; }}
h1 {{ font-size: 1.9rem; margin: 0 0 .25rem; }}
h2 {{ font-size: 1.35rem; margin: 2.25rem 0 .5rem; padding-top: .75rem;
  border-top: 1px solid var(--line); }}
h3 {{ font-size: 1.08rem; margin: 1.5rem 0 .5rem; }}
p, li, dd, td, tbody th, figcaption {{ overflow-wrap: anywhere; }}
p, ul.notes {{ max-width: 50rem; }} .faint {{ color: var(--faint); }}
.warn {{ color: var(--warn); }} .bad {{ color: var(--bad); }}
dl.cards {{ display: grid; gap: .75rem; margin: 1rem 0;
  grid-template-columns: repeat(auto-fit, minmax(14rem, 1fr)); }}
dl.cards > div {{ background: var(--panel); border: 1px solid var(--line); border-radius: .4rem;
  padding: .6rem .8rem; }}
dl.cards dt {{ color: var(--faint); font-size: .9rem; }}
dl.cards dd {{ margin: 0; font-size: 1.3rem; font-weight: 600; }}
dl.cards dd.small {{ font-size: .85rem; font-weight: 400; color: var(--faint); }}
figure {{ margin: 1rem 0; }} figcaption {{ color: var(--faint); margin-bottom: .5rem; }}
svg {{ display: block; width: 100%; overflow: visible; }}
svg text {{ font-size: 12px; fill: var(--ink); }}
svg text.in {{ fill: var(--paper); font-weight: 600; }}
.plot {{ display: flex; gap: .5rem; }} .plot > svg {{ flex: 1 1 0; min-width: 0; }}
.plot > svg.figures {{ flex: 0 0 3.5rem; }}
svg .known {{ fill: var(--tone, var(--t0)); }}
svg .range {{ fill: var(--tone, var(--t0)); fill-opacity: .28; stroke: var(--tone, var(--t0));
  stroke-dasharray: 3 2; }}
svg .track {{ fill: var(--panel); stroke: var(--line); }}
svg .axis {{ stroke: var(--line); }} svg .mark {{ stroke: var(--ink); stroke-dasharray: 4 3; }}
svg .badge {{ fill: var(--ink); }} svg .part {{ stroke: var(--paper); stroke-width: 1; }}
ol.bars {{ list-style: none; margin: 0; padding: 0; }}
ol.bars li {{ margin: 0 0 .7rem; break-inside: avoid; }}
ol.bars .said {{ display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 1rem; }}
ol.bars .said span:first-child {{ font-weight: 600; }}
ol.bars li.own .said span:first-child::after {{ content: " (this cluster)"; font-weight: 400; }}
.swatch {{ display: inline-block; min-width: 1.5em; padding: 0 .3em; margin-right: .5em;
  border-radius: .2em; background: var(--tone, var(--t0)); color: var(--paper); font-weight: 600;
  text-align: center; font-size: .8rem; }}
.swatch.half {{ background: none; color: var(--ink); border: 1px dashed var(--tone, var(--t0)); }}
a {{ color: var(--t0); }} ol.sources {{ padding-left: 2rem; max-width: 60rem; }}
dl.claims {{ max-width: 60rem; }} dl.claims dt {{ font-weight: 600; margin-top: 1rem; }}
dl.claims dd {{ margin: .15rem 0 0 1rem; }} dl.claims dt {{ break-after: avoid; }}
ul.key {{ list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; }}
.scroll {{ overflow-x: auto; margin: .75rem 0; background:
  linear-gradient(to right, var(--paper) 40%, transparent) 0 0 / 2rem 100% no-repeat local,
  linear-gradient(to left, var(--paper) 40%, transparent) 100% 0 / 2rem 100% no-repeat local,
  linear-gradient(to right, var(--line), transparent) 0 0 / .5rem 100% no-repeat scroll,
  linear-gradient(to left, var(--line), transparent) 100% 0 / .5rem 100% no-repeat scroll; }}
table {{ border-collapse: collapse; width: 100%; font-size: .92rem; }}
caption {{ text-align: left; font-weight: 600; padding: .25rem 0; }}
caption span {{ display: inline-block; position: sticky; left: 0; max-width: calc(100vw - 2rem); }}
th, td {{ text-align: left; vertical-align: top; padding: .3rem .6rem;
  border-bottom: 1px solid var(--line); }}
th.words, td.words {{ min-width: 9rem; }}
th.short, td.short {{ white-space: nowrap; }}
th.number, td.number {{ min-width: 5.5rem; text-align: right; overflow-wrap: normal;
  font-variant-numeric: tabular-nums; }}
thead th {{ border-bottom: 2px solid var(--line); }}
tbody th {{ font-weight: 600; }} tfoot th, tfoot td {{ font-weight: 700; }}
tr.own > * {{ background: var(--panel); }}
code {{ font-family: ui-monospace, Consolas, "DejaVu Sans Mono", monospace; font-size: .9em; }}
:focus-visible {{ outline: 2px solid var(--t0); outline-offset: 2px; }}
@media (max-width: 30rem) {{ body {{ font-size: 15px; }} h1 {{ font-size: 1.5rem; }}
  th, td {{ padding: .25rem .35rem; }}
  th.words, td.words {{ min-width: 7.5rem; }} th.number, td.number {{ min-width: 3.6rem; }}
  tbody th.short {{ white-space: normal; min-width: 8.6rem; }} }}
@page {{ margin: 14mm; }}
@media print {{
  body {{ font-size: 10pt; }} main, header, footer {{ max-width: none; padding: 0; }}
  h2 {{ break-after: avoid; }} h3, figcaption, caption {{ break-after: avoid; }}
  .scroll {{ overflow: visible; background: none; }} table {{ font-size: 8pt; }}
  table th, table td {{ min-width: 0; padding: .15rem .3rem; white-space: normal; }}
  thead {{ display: table-header-group; }} tr, .cards > div, figure svg {{ break-inside: avoid; }}
  svg *, .swatch, tr.own > *, .cards > div {{ print-color-adjust: exact;
    -webkit-print-color-adjust: exact; }}
}}
"""
