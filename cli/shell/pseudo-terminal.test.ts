// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { startTestServer } from '../../test/server/test-server.ts'
import { testFolder } from '../../test/test-folder.ts'

const CLI = fileURLToPath(new URL('../cli.ts', import.meta.url))

/** Of util-linux; others take other flags. */
const hasScript = /util-linux/.test(
  spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout ?? '',
)
const skip = hasScript ? false : 'there is no script(1) of util-linux here, which makes a terminal'

test('percolite shell at a real terminal: keys, Tab, Ctrl-C and Ctrl-D', { skip }, async (t) => {
  const server = await startTestServer(t)
  await server.query('CREATE TABLE account (id TEXT PRIMARY KEY, balance INTEGER)')
  await server.query("INSERT INTO account (id, balance) VALUES ('bob', 10)")
  const { url } = await server.listen()
  const folder = await testFolder(t, 'terminal')
  const command = `${process.execPath} ${CLI} shell ${url}`
  const child = spawn('script', ['-qfec', command, '/dev/null'], {
    env: { ...process.env, XDG_STATE_HOME: join(folder, 'state'), TERM: 'xterm' },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  t.after(() => child.kill())
  let shown = ''
  child.stdout.on('data', (part: Buffer) => (shown += part))
  const exited = once(child, 'exit')
  const until = async (text: string) => {
    const deadline = performance.now() + 30_000
    while (!shown.includes(text)) {
      assert.ok(
        performance.now() < deadline,
        `"${text}" was not shown, but: ${JSON.stringify(shown)}`,
      )
      await sleep(10)
    }
    shown = shown.slice(shown.indexOf(text) + text.length)
  }
  // One at a time: readline takes a Tab within a burst of keys for a part of a text that is pasted.
  const keys = async (text: string) => {
    for (const key of text) {
      child.stdin.write(key)
      await sleep(5)
    }
  }
  await until('percolite> ')
  await keys('SCAN id, bal\t')
  await until('balance ')
  await keys('FROM acc\t')
  await until('account ')
  await keys(';\r')
  await until(' bob |      10')
  await until('percolite> ')
  await keys('not finished')
  child.stdin.write('\u0003')
  await until('percolite> ')
  child.stdin.write('\u0004')
  const [code] = await exited
  assert.equal(code, 0)
})
