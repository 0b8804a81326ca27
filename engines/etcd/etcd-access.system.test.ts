// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, type TestContext, test } from 'node:test'
import { EtcdCluster, etcdSkipReason } from '../../bench/engines/etcd-cluster.ts'
import { readConfig } from '../../server/config.ts'
import type { FlagName } from '../../server/flags.ts'
import { createServer } from '../../server/server.ts'
import { writeCertificate } from '../../test/server/test-certificate.ts'
import { TestServer } from '../../test/server/test-server.ts'
import { testFolder } from '../../test/test-folder.ts'

type Flags = Partial<Record<FlagName, string>>

/** A server over this etcd, as the command line makes it. */
async function serverOver(
  t: TestContext,
  cluster: EtcdCluster,
  flags: Flags,
  environment: Readonly<Record<string, string>> = {},
): Promise<TestServer> {
  const place: Flags = { engine: 'etcd', etcd: cluster.members.join(), port: '0' }
  const server = await createServer(readConfig({ ...place, ...flags }, environment))
  t.after(() => server.close())
  return new TestServer(server)
}

async function writeAndRead(server: TestServer): Promise<void> {
  await server.rows('CREATE TABLE IF NOT EXISTS note (id INTEGER PRIMARY KEY, text TEXT)')
  await server.rows("SET text = 'kept' ON note WHERE id = 1")
  assert.deepEqual(await server.rows('GET text FROM note WHERE id = 1'), [{ text: 'kept' }])
}

describe('an etcd with certificates', { skip: etcdSkipReason() }, () => {
  test('is used with an authority and a certificate of one’s own, and not without them', async (t) => {
    const { certificatePath, keyPath } = await writeCertificate(await testFolder(t, 'etcd-tls'))
    const [certificate, key] = [await readFile(certificatePath), await readFile(keyPath)]
    const cluster = await EtcdCluster.start(1, {
      flags: [
        ...['--cert-file', certificatePath, '--key-file', keyPath],
        ...['--trusted-ca-file', certificatePath, '--client-cert-auth'],
      ],
      tls: { authority: certificate, certificate, key },
    })
    t.after(() => cluster.close())
    const authority = { 'etcd-ca': certificatePath }
    const own = { 'etcd-cert': certificatePath, 'etcd-key': keyPath }
    await writeAndRead(await serverOver(t, cluster, { ...authority, ...own }))
    for (const flags of [authority, {}]) {
      await assert.rejects(serverOver(t, cluster, flags), { message: CANNOT_BE_OPENED })
    }
  })
})

describe('an etcd whose certificate is of another address', { skip: etcdSkipReason() }, () => {
  test('is not used', async (t) => {
    const folder = await testFolder(t, 'etcd-tls')
    const { certificatePath, keyPath } = await writeCertificate(folder, '127.0.0.9')
    const started = EtcdCluster.start(1, {
      startMs: 2_000,
      flags: ['--cert-file', certificatePath, '--key-file', keyPath],
      tls: {
        ...{ authority: await readFile(certificatePath), certificate: undefined, key: undefined },
      },
    })
    await assert.rejects(started, /127\.0\.0\.1 is not in the cert's list/)
  })
})

describe('an etcd with users', { skip: etcdSkipReason() }, () => {
  test('is used with the name and the password, and not without them', async (t) => {
    const cluster = await EtcdCluster.start(1)
    t.after(() => cluster.close())
    const root = { name: 'root', password: 'of the test' }
    await asked(cluster, 'user/add', root)
    await asked(cluster, 'role/add', { name: 'root' })
    await asked(cluster, 'user/grant', { user: 'root', role: 'root' })
    await asked(cluster, 'enable', {})
    const flags = { 'etcd-user': 'root' }
    const password = { PERCOLITE_ETCD_PASSWORD: root.password }
    await writeAndRead(await serverOver(t, cluster, flags, password))
    const another = { PERCOLITE_ETCD_PASSWORD: 'another' }
    await assert.rejects(serverOver(t, cluster, flags, another), { message: CANNOT_BE_OPENED })
    await assert.rejects(serverOver(t, cluster, {}), { message: CANNOT_BE_OPENED })
  })
})

const CANNOT_BE_OPENED = /^etcd at 127.* cannot be opened: /

/** By etcd's own JSON gateway. */
async function asked({ members }: EtcdCluster, what: string, body: object): Promise<void> {
  const answer = await fetch(`http://${members[0]}/v3/auth/${what}`, {
    method: 'POST',
    body: JSON.stringify(body),
  })
  assert.equal(answer.status, 200, await answer.text())
}
