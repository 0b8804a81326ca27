// SPDX-License-Identifier: Apache-2.0
import { grpcClient, grpcClientOverTls, plainText, type TlsFiles } from '../network/grpc-calls.ts'
import { EtcdCellStore } from './etcd-cell-store.ts'
import { EtcdClient, type EtcdUser } from './etcd-client.ts'
import { EtcdLayout } from './etcd-layout.ts'

export type EtcdOptions = {
  /** `host:port` of each member. */
  readonly members: readonly string[]
  /** Before every key: several stores may share an etcd. */
  readonly prefix: string
  readonly user: EtcdUser | undefined
  /** Undefined for plain text. */
  readonly tls: TlsFiles | undefined
}

/** Opens the store once a member answers. Rejects with CellStoreError when none does. */
export async function openEtcdCellStore(options: EtcdOptions): Promise<EtcdCellStore> {
  const { members, prefix, user, tls } = options
  const clients = members.map((address) =>
    tls === undefined ? grpcClient(address, plainText()) : grpcClientOverTls(address, tls),
  )
  const store = new EtcdCellStore(new EtcdClient(clients, user), new EtcdLayout(prefix))
  try {
    await store.readRows([Uint8Array.of(0)], [{ family: 'data', newest: 1 }])
    return store
  } catch (error) {
    await store.close()
    throw error
  }
}
