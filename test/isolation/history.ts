// SPDX-License-Identifier: Apache-2.0
import { begunFirst, DIES, namesOf, type Scenario } from './scenario.ts'

/** The scenario as `docs/isolation.md` shows it: a column for each transaction, time runs downwards. */
export function historyOf(scenario: Scenario): string {
  const names = namesOf(scenario)
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const first = begunFirst(scenario)
  const steps = scenario.steps.map(([name, statement, expected]) =>
    row(names.map((other) => (other === name ? stepText(statement, expected) : ''))),
  )
  const rowsInTheEnd = `Rows at the end: ${scenario.final[0]}.`
  return [
    `### ${scenario.name}: ${scenario.title}`,
    wrapped(scenario.meaning),
    [
      row(names),
      row(names.map(() => '---')),
      row(names.map((name) => (first.includes(name) ? '`BEGIN`' : ''))),
      ...steps,
    ].join('\n'),
    wrapped([rowsInTheEnd, ...deathText(scenario)].join(' ')),
  ].join('\n\n')
}

function stepText(statement: string, expected?: string): string {
  if (expected === undefined) return `\`${statement}\``
  return `\`${statement}\` → ${expected === 'OK' || expected === 'nothing' ? expected : `**${expected}**`}`
}

/** What is different when the gateway of one transaction dies in the middle of its commit. */
function deathText({ steps, final }: Scenario): string[] {
  const dying = steps.find(([, , , afterDeath]) => afterDeath === DIES)
  if (dying === undefined) return []
  const others = steps
    .filter(([, , , afterDeath]) => afterDeath !== undefined && afterDeath !== DIES)
    .map(([name, statement, , afterDeath]) => `${name} \`${statement}\` → ${afterDeath}`)
  const inTheEnd = `rows at the end: ${final[1] ?? final[0]}`
  return [
    `If the gateway of ${dying[0]} dies between its prewrite and its commit: ${[...others, inTheEnd].join('; ')}.`,
  ]
}

const LINE_LENGTH_MAX = 120

/** The text in lines that end at 120 characters; code is kept together. */
function wrapped(text: string): string {
  const lines: string[] = []
  for (const word of text.match(/(?:`[^`]*`|\S)+/g) ?? []) {
    const line = lines.at(-1)
    const longer = `${line} ${word}`
    if (line === undefined || longer.length > LINE_LENGTH_MAX) lines.push(word)
    else lines[lines.length - 1] = longer
  }
  return lines.join('\n')
}
