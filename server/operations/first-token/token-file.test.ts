// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { systemRandomness } from '../../../storage/storage.ts'
import { newTokenText } from '../../../storage/tables/access/access.ts'
import { startTestServer } from '../../../test/server/test-server.ts'
import { testFolder } from '../../../test/test-folder.ts'

const ANOTHER_USER = 12_345
const isRoot = process.getuid?.() === 0
const token = newTokenText(systemRandomness).text

/** A folder, and the start of a server whose first token is to be in it. */
async function scene(t: TestContext) {
  const folder = join(await testFolder(t, 'token-file'), 'folder')
  mkdirSync(folder, { mode: 0o700 })
  const path = join(folder, 'token')
  const start = async (at = path) => {
    const { server } = await startTestServer(t, { flags: { 'admin-token-file': at } })
    await server.close()
  }
  const refused = async (reason: RegExp, at = path) => {
    const error = await start(at).then(
      () => assert.fail(`${at} was taken`),
      (cause) => cause,
    )
    assert.equal(error.name, 'UsageError')
    const [, told = ''] = /^--admin-token-file (?:\/\S+): ([^\n]+\.)$/.exec(error.message) ?? []
    assert.match(told, reason)
    assert.ok(!error.message.includes(token))
  }
  return { folder, path, start, refused }
}

describe('the file of the first token', () => {
  test('is no link, neither to a token nor to nowhere, and what it points at stays as it is', async (t) => {
    const { folder, path, refused } = await scene(t)
    const target = join(folder, 'target')
    symlinkSync(target, path)
    await refused(/is a symbolic link/)
    assert.equal(lstatSync(target, { throwIfNoEntry: false }), undefined)
    writeFileSync(target, token, { mode: 0o600 })
    await refused(/is a symbolic link/)
    assert.equal(readFileSync(target, 'utf8'), token)
  })

  test('can be read and written by nobody else', async (t) => {
    const { path, refused, start } = await scene(t)
    writeFileSync(path, token)
    for (const mode of [0o644, 0o604, 0o640, 0o660, 0o602, 0o601]) {
      chmodSync(path, mode)
      await refused(/other users can read or write it \(chmod 600 /)
    }
    chmodSync(path, 0o400)
    await start()
  })

  test('belongs to the user of the server, or to root', async (t) => {
    if (!isRoot) return t.skip('only root may give a file away')
    const { path, refused } = await scene(t)
    writeFileSync(path, token, { mode: 0o600 })
    chownSync(path, ANOTHER_USER, ANOTHER_USER)
    await refused(/belongs to another user/)
  })

  test('has a token of this server in it, and nothing else', async (t) => {
    const { path, refused } = await scene(t)
    const mistyped = `${token.slice(0, -1)}${token.endsWith('a') ? 'b' : 'a'}`
    for (const text of ['', '\n', 'secret', mistyped, `${token}x`, `${token} ${token}`]) {
      writeFileSync(path, text, { mode: 0o600 })
      await refused(/there is no token in it; remove it to have one made/)
    }
    writeFileSync(path, Buffer.alloc(100_000, token), { mode: 0o600 })
    await refused(/there is no token in it/)
  })

  test('is a file', async (t) => {
    const { path, refused } = await scene(t)
    await refused(/it is no file/, '/dev/null')
    mkdirSync(path)
    await refused(/it is no file/)
  })
})

describe('the folder of the first token', () => {
  test('is there already', async (t) => {
    const { path, refused } = await scene(t)
    await refused(/there is no folder \//, join(path, 'deeper'))
  })

  test('takes files of nobody else, unless it is sticky', async (t) => {
    const { folder, path, refused, start } = await scene(t)
    for (const mode of [0o777, 0o707]) {
      chmodSync(folder, mode)
      await refused(/other users can put files in its folder \(chmod go-w \//)
      assert.equal(lstatSync(path, { throwIfNoEntry: false }), undefined)
    }
    chmodSync(folder, 0o1777)
    await start()
  })

  test('that a group of another owner may write to is refused, and one of the own user is not', async (t) => {
    const { folder, refused, start } = await scene(t)
    chmodSync(folder, 0o770)
    if (isRoot) {
      chownSync(folder, ANOTHER_USER, ANOTHER_USER)
      await refused(/other users can put files in its folder/)
      chownSync(folder, 0, 0)
    }
    await start()
  })
})
