// SPDX-License-Identifier: Apache-2.0
import { type GrpcCredentials, overTls, plainText } from '../network/grpc-calls.ts'
import { EtcdCellStore } from './etcd-cell-store.ts'
import { EtcdClient, type EtcdUser } from './etcd-client.ts'
import { EtcdLayout } from './etcd-layout.ts'

export type EtcdOptions = {
  /** `host:port` of each member. */
  readonly members: readonly string[]
  /** Before every key: several stores may share an etcd. */
  readonly prefix: string
  readonly user: EtcdUser | undefined
  /** PEM; undefined for plain text. */
  readonly tls:
    | {
        readonly authority: Buffer | undefined
        readonly certificate: Buffer | undefined
        readonly key: Buffer | undefined
      }
    | undefined
}

/** Opens the store once a member answers. Rejects with CellStoreError when none does. */
export async function openEtcdCellStore(options: EtcdOptions): Promise<EtcdCellStore> {
  const { members, prefix, user, tls } = options
  const credentials: GrpcCredentials = tls === undefined ? plainText() : overTls(tls)
  const store = new EtcdCellStore(
    new EtcdClient(members, credentials, user),
    new EtcdLayout(prefix),
  )
  try {
    await store.readRows([Uint8Array.of(0)], [{ family: 'data', newest: 1 }])
    return store
  } catch (error) {
    await store.close()
    throw error
  }
}
