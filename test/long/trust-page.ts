// SPDX-License-Identifier: Apache-2.0

/** What a suite said when it last ran. */
export type SuiteRun = {
  readonly name: string
  readonly shows: string
  readonly said: string
  /** The day, as 2026-11-30. */
  readonly date: string
  /** The first characters of the commit that ran. */
  readonly commit: string
  readonly command: string
}

const BEGIN = '<!-- runs -->'
const END = '<!-- end of runs -->'
const HEAD = '| what is tried | what it came to | when, at which commit |\n|---|---|---|\n'
const ROW = /^\| (.*?)<br>`(.*?)` \| (.*?) \| (\S+), (\S+) <!-- (\S+) --> \|$/gm
const SAID_MAX = 300

/** The runs that a page has. Throws where it has no place for them. */
export function runsOf(page: string): readonly SuiteRun[] {
  return [...tableOf(page).matchAll(ROW)].map(([, shows, command, said, date, commit, name]) => {
    return { name, shows, said, date, commit, command } as SuiteRun
  })
}

/** The page with these runs in place of earlier ones of the same suites, in the order of `names`. */
export function withRuns(
  page: string,
  runs: readonly SuiteRun[],
  names: readonly string[],
): string {
  const all = new Map([...runsOf(page), ...runs].map((run) => [run.name, run]))
  const rows = names.flatMap((name) => {
    const run = all.get(name)
    if (run === undefined) return []
    const said = run.said.replaceAll('|', '/').slice(0, SAID_MAX)
    return [
      `| ${run.shows}<br>\`${run.command}\` | ${said} | ${run.date}, ${run.commit} <!-- ${name} --> |\n`,
    ]
  })
  const table = tableOf(page)
  return page.replace(`${BEGIN}${table}${END}`, () => `${BEGIN}\n${HEAD}${rows.join('')}${END}`)
}

function tableOf(page: string): string {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)]
  if (begin < 0 || end < begin) throw new Error(`docs/trust.md has no ${BEGIN} … ${END}`)
  return page.slice(begin + BEGIN.length, end)
}
