// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { mkdir, open, truncate, writeFile } from 'node:fs/promises'
import { get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startTestServer } from '../../../test/server/test-server.ts'
import { testFolder } from '../../../test/test-folder.ts'

/** Without blocks of its own on the disk, so it costs nothing. */
const HUGE_BYTES = 4 * 2 ** 30
/** What the sockets of both sides may hold, and some. */
const ON_ITS_WAY_BYTES = 64 * 2 ** 20

async function hugeBackup(t: TestContext) {
  const folder = await testFolder(t, 'huge')
  const backup = join(folder, 'backups', 'huge')
  await mkdir(backup, { recursive: true })
  const file = join(backup, 'cells.db')
  await writeFile(file, '')
  await truncate(file, HUGE_BYTES)
  const manifest = { format: 1, bytes: HUGE_BYTES, sha256: '0'.repeat(64), timestamp: 1 }
  await writeFile(join(backup, 'manifest.json'), JSON.stringify(manifest))
  const flags = {
    engine: 'sqlite',
    data: join(folder, 'data'),
    backups: join(backup, '..'),
  } as const
  const server = await startTestServer(t, { flags })
  const { url } = await server.listen()
  const download = async () => {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    get(`${url}/v1/backups/huge/file`, resolve).on('error', reject)
    const answer = await promise
    t.after(() => answer.destroy())
    return answer
  }
  return { server, file, download }
}

/** How far each open descriptor of a file has read it. */
function readSoFar(file: string): readonly number[] {
  const found: number[] = []
  for (const id of readdirSync('/proc/self/fd')) {
    try {
      if (!readlinkSync(`/proc/self/fd/${id}`).startsWith(file)) continue
      const position = /pos:\s+(\d+)/.exec(readFileSync(`/proc/self/fdinfo/${id}`, 'utf8'))
      found.push(Number(position?.[1]))
    } catch {
      // The one by which this folder is read.
    }
  }
  return found
}

const skip = existsSync('/proc/self/fdinfo') ? false : 'this system does not tell what is open'

describe('the file of a backup', { skip }, () => {
  test('is read as fast as it is taken, and closed when its client leaves', async (t) => {
    const { file, download } = await hugeBackup(t)
    const before = process.memoryUsage()
    const answer = await download()
    assert.equal(answer.headers['content-length'], String(HUGE_BYTES))
    let taken = 0
    for await (const chunk of answer.iterator({ destroyOnReturn: false })) {
      taken += chunk.length
      if (taken > 2 ** 20) break
    }
    // It takes nothing any more: soon the buffers are full.
    let [position = 0] = readSoFar(file)
    for (let last = -1; position !== last; [position = 0] = readSoFar(file)) {
      last = position
      await sleep(200)
    }
    assert.ok(position < ON_ITS_WAY_BYTES, `${position} bytes were read for ${taken}`)
    const { external, arrayBuffers } = process.memoryUsage()
    const held = external + arrayBuffers - before.external - before.arrayBuffers
    assert.ok(held < ON_ITS_WAY_BYTES, `${held} bytes are held`)
    answer.destroy()
    while (readSoFar(file).length > 0) await sleep(10)
  })

  test('goes on to be read by who has begun, and to nobody else, once it is removed', async (t) => {
    const { server, file, download } = await hugeBackup(t)
    const answer = await download()
    const removed = await server.send({ method: 'DELETE', path: '/v1/backups/huge' })
    assert.equal(removed.status, 204)
    assert.equal(existsSync(file), false)
    assert.equal((await server.get('/v1/backups/huge/file')).status, 404)
    let taken = 0
    for await (const chunk of answer) {
      taken += chunk.length
      if (taken > ON_ITS_WAY_BYTES) break
    }
    assert.ok(taken > ON_ITS_WAY_BYTES)
    while (readSoFar(file).length > 0) await sleep(10)
  })

  test('that is not as long as it was is not sent, and none is left open', async (t) => {
    const { server, file } = await hugeBackup(t)
    const head = await server.send({ method: 'HEAD', path: '/v1/backups/huge/file' })
    assert.deepEqual([head.status, head.headers['content-length']], [200, String(HUGE_BYTES)])
    const handle = await open(file, 'r+')
    await handle.truncate(HUGE_BYTES - 1)
    await handle.close()
    const { status, body } = await server.get('/v1/backups/huge/file')
    assert.deepEqual([status, body.code], [404, 'unknown_backup'])
    assert.match(body.detail, /has 4294967295 bytes, and had 4294967296 when it was made/)
    assert.deepEqual(readSoFar(file), [])
  })
})
