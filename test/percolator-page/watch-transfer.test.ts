// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { testFolder } from '../test-folder.ts'

const CLI = fileURLToPath(new URL('../../cli/cli.ts', import.meta.url))
const PAGE = readFileSync(new URL('../../docs/percolator.md', import.meta.url), 'utf8')

function blocksOf(language: string): string[] {
  const blocks = PAGE.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))
  return [...blocks].map(([, text = '']) => text)
}

/** The text after `-d` of a call of curl. */
function sqlOf(command = ''): string {
  return / -d "(.*)"$/m.exec(command)?.[1] ?? assert.fail(command)
}

/** A child whose output is read as far as it is wanted. */
class Child {
  readonly #output: Readable
  text = ''

  constructor(t: TestContext, args: readonly string[]) {
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    this.#output = child.stdout.setEncoding('utf8')
    this.#output.on('data', (chunk: string) => {
      this.text += chunk
    })
    t.after(() => child.kill('SIGKILL'))
  }

  async until(isThere: (text: string) => boolean): Promise<void> {
    while (!isThere(this.text)) await once(this.#output, 'data')
  }
}

test('the transfers that docs/percolator.md watches go step by step as it shows', async (t) => {
  const demo = new Child(t, [CLI, 'demo', '--port', '0', '--step-delay', '200ms'])
  await demo.until((text) => text.includes('/kill'))
  const url = /brokerage at (\S+),/.exec(demo.text)?.[1] ?? assert.fail(demo.text)
  const ask = async (sql: string) => {
    const answer = await fetch(`${url}/v1/query`, { method: 'POST', body: sql })
    return { status: answer.status, text: await answer.text() }
  }
  // The accounts come after what it prints.
  const isLocked = async () => {
    const accounts = await ask("SCAN * FROM account WHERE id < 'z'")
    const locks = await fetch(`${url}/v1/locks`)
    return !accounts.text.includes('joe') || !(await locks.text()).includes('"locks":[]')
  }
  while (await isLocked());
  const [program = ''] = blocksOf('js')
  const [transfer, reader] = blocksOf('sh').map(sqlOf)
  const outputs = blocksOf('text')
  assert.equal(outputs.length, 3)
  const file = join(await testFolder(t, 'watch'), 'watch.mjs')
  writeFileSync(file, program.replace('127.0.0.1:4270', new URL(url).host))
  const cases = [undefined, 'commit bob', 'prewrite bob']
  for (const [at, killAfter] of cases.entries()) {
    const watching = new Child(t, [file, ...(killAfter === undefined ? [] : [killAfter])])
    await watching.until((text) => text.includes('watching\n'))
    const { status, text } = await ask(transfer as string)
    if (killAfter === undefined) assert.equal(status, 200)
    else assert.match(text, /commit_outcome_unknown/)
    if (killAfter !== undefined) assert.equal((await ask(reader as string)).status, 200)
    const wanted = outputs[at] as string
    const lines = wanted.split('\n').length
    await watching.until((printed) => printed.split('\n').length >= lines)
    assert.equal(watching.text, wanted)
  }
})
