// SPDX-License-Identifier: Apache-2.0
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { withoutStamps } from '../readme-blocks.ts'
import { ServerProcess } from '../server/server-process.ts'

const DOCS = new URL('../../docs/', import.meta.url)
const SCRIPT_MS_MAX = 60_000
const END_OF_BLOCK = '-- end of block --'

/** Statements or commands, with what is printed below them. */
const BLOCK = /```(sql|sh)\n([\s\S]*?)```\n(?:\n?)```(json|text)\n([\s\S]*?)```/g

/** Each page of the guide, and the one for those who know SQL, by its path below docs/. */
export function guidePages(): ReadonlyMap<string, URL> {
  const names = readdirSync(new URL('guide/', DOCS)).filter((name) => name.endsWith('.md'))
  const paths = [...names.map((name) => `guide/${name}`), 'coming-from-sql.md']
  return new Map(paths.map((path) => [path, new URL(path, DOCS)]))
}

/** A page as it is written, and with the output of each of its blocks, run by a server of their own. */
export async function runPage(
  path: URL,
): Promise<{ written: string; run: string; blocks: number }> {
  const written = readFileSync(path, 'utf8')
  const blocks = [...written.matchAll(BLOCK)]
  const outputs = await outputsOf(blocks.map(([, kind, text = '']) => commandsOf(kind, text)))
  const run = written.replace(BLOCK, (whole: string, kind, text, form, before: string) => {
    const output = outputs.shift() ?? ''
    if (withoutStamps(output) === withoutStamps(before)) return whole
    return `\`\`\`${kind}\n${text}\`\`\`\n\n\`\`\`${form}\n${output.replace(/^\n+|\s+$/g, '')}\n\`\`\``
  })
  return { written, run, blocks: blocks.length }
}

/** An index is used as soon as it is built, which the next block may need. */
const UNTIL_BUILT =
  'while curl -s localhost:4270/v1/tables | grep -q \'"state":"building"\'; do sleep 0.02; done\n'

function commandsOf(kind: string | undefined, text: string): string {
  if (kind === 'sh') return text
  const sent = `curl -s 'localhost:4270/v1/query?format=table' --data-binary @- <<'END'\n${text}END\n`
  return text.includes('INDEX') ? sent + UNTIL_BUILT : sent
}

async function outputsOf(commands: readonly string[]): Promise<string[]> {
  const server = await ServerProcess.start(undefined, ['--engine', 'memory'])
  try {
    const script = commands
      .join(`\necho '${END_OF_BLOCK}'\n`)
      .replaceAll('localhost:4270', server.url.replace('http://', ''))
    const options = { timeout: SCRIPT_MS_MAX }
    const { stdout } = await promisify(execFile)('bash', ['-c', script], options)
    return stdout.split(END_OF_BLOCK)
  } finally {
    await server.stop()
  }
}
