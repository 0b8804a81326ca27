// SPDX-License-Identifier: Apache-2.0
import { after, before, describe } from 'node:test'
import { EtcdCluster, etcdSkipReason } from '../../bench/engines/etcd-cluster.ts'
import { describeCellStore } from '../../test/cell-store/cell-store-conformance.ts'

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
