// SPDX-License-Identifier: Apache-2.0
import { after, before, describe } from 'node:test'
import { describeCellStore } from '../../test/cell-store/cell-store-conformance.ts'
import { EtcdCluster, etcdSkipReason } from '../../test/etcd/etcd-cluster.ts'

describe('etcd', { skip: etcdSkipReason() }, () => {
  let cluster: EtcdCluster
  before(async () => {
    cluster = await EtcdCluster.start()
  })
  after(() => cluster.close())

  describeCellStore('etcd', async () => {
    const store = await cluster.open()
    return { store, dispose: () => store.close() }
  })
})
