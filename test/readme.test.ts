// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { readmeBlocks, withoutStamps } from './readme-blocks.ts'
import { ServerProcess } from './server/server-process.ts'
import { testFolder } from './test-folder.ts'

const END_OF_BLOCK = '-- end of block --'

/** Those of the sections below need a server with TLS: test/browser. */
const examples = readmeBlocks('Sixty seconds\n').filter(({ kind }) => kind === 'sh')

test('every command of the first sixty seconds of the README gives the output that is printed below it', async (t) => {
  const dataDirectory = await testFolder(t, 'readme')
  const server = await ServerProcess.start(dataDirectory)
  try {
    const address = server.url.replace('http://', '')
    const script = examples
      .map(({ commands }) => commands.replaceAll('localhost:4270', address))
      .join(`\necho '${END_OF_BLOCK}'\n`)
    const { stdout } = await promisify(execFile)('bash', ['-c', script], { timeout: 60_000 })
    const outputs = stdout.split(END_OF_BLOCK)
    assert.ok(examples.length >= 6)
    for (const [index, { commands, output }] of examples.entries()) {
      assert.equal(withoutStamps(outputs[index] ?? ''), withoutStamps(output ?? ''), commands)
    }
  } finally {
    await server.stop()
  }
})
