// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { after, before, describe, type TestContext, test } from 'node:test'
import { EtcdCluster, etcdSkipReason } from '../../bench/engines/etcd-cluster.ts'
import { ForwardingCellStore } from '../../bench/engines/forwarding-cell-store.ts'
import { numberBytes } from '../../storage/cells/plain-row.ts'
import type { CellStore } from '../../storage/storage.ts'
import { arbitraryCalls } from '../../test/cell-store/arbitrary-calls.ts'
import { requireNaiveAnswers } from '../../test/cell-store/cell-store-conformance.ts'
import { bytes, column, set } from '../../test/cell-store/cell-store-scene.ts'

const ROW = bytes('bob')
const TICKS = column('data ticks')
const FENCE = column('data fence')

/** Two processes over one store: each supposes rows to be what the other one has changed since. */
class Alternating extends ForwardingCellStore {
  readonly atomicScope = 'row'

  constructor([one, other]: readonly [CellStore, CellStore]) {
    let calls = 0
    const take = (name: string | symbol) => {
      const store = calls++ % 2 === 0 ? one : other
      const own: unknown = Reflect.get(store, name, store)
      return typeof own === 'function' ? own.bind(store) : own
    }
    super(new Proxy(one, { get: (_, name) => take(name) }))
  }
}

describe('rows of etcd that several processes change', { skip: etcdSkipReason() }, () => {
  let cluster: EtcdCluster
  before(async () => {
    cluster = await EtcdCluster.start()
  })
  after(() => cluster.close())

  async function opened(t: TestContext, prefix: string) {
    const stores = [await cluster.open(prefix), await cluster.open(prefix)] as const
    t.after(() => Promise.all(stores.map((store) => store.close())))
    return stores
  }

  test('get the answers of the naive store, whoever changed them last', async (t) => {
    const stores = await opened(t, 'alternating/')
    const { mixedProgram } = arbitraryCalls(stores[0].limits.timestampMax)
    await requireNaiveAnswers(new Alternating(stores), mixedProgram)
  })

  test('are changed in one column while another one changes all the time', async (t) => {
    const [one, other] = await opened(t, 'columns/')
    await one.mutateRows([{ row: ROW, mutations: [setCounter(TICKS, 0), setCounter(FENCE, 0)] }])
    let [isRaising, ticks] = [true, 0n]
    const ticking = async () => {
      for (; isRaising; ticks++) await one.readModifyWriteRow(ROW, [{ ...TICKS, by: 1n }])
    }
    const running = Promise.all([ticking(), ticking()])
    const sent = () => other.requestsSent.get('Txn') ?? 0
    const sentBefore = sent()
    // Until the others have changed it as often, on whichever processors.
    let fences = 0
    for (let to = 1; to <= 50 || ticks <= 50n; to++) {
      fences = to
      const values = { start: numberBytes(to) }
      const isRaised = await other.checkAndMutateRow(ROW, {
        when: [{ ...FENCE, newest: 1, values }],
        ifMatched: [],
        otherwise: [{ kind: 'deleteFromColumn', ...FENCE, timestamps: {} }, setCounter(FENCE, to)],
      })
      assert.equal(isRaised, false)
    }
    const requests = sent() - sentBefore
    isRaising = false
    await running
    const counters = [TICKS, FENCE].map((one) => ({ ...one, by: 0n }))
    assert.deepEqual(await other.readModifyWriteRow(ROW, counters), [ticks, BigInt(fences)])
    assert.ok(ticks > 50n)
    assert.ok(requests <= 2 * fences, `${requests} requests for ${fences}`)
  })

  test('keep what each writes and deletes in its own column, also while the row comes and goes', async (t) => {
    const stores = await opened(t, 'coming/')
    const own = async (name: string, rounds: number, changed: Changing) => {
      const there = column(`data ${name}`)
      for (let at = 1; at <= rounds; at++) {
        const sets = { when: [there], ifMatched: [], otherwise: [set(`data ${name}@1=${at}`)] }
        assert.equal(await changed((store) => store.checkAndMutateRow(ROW, sets)), false)
        const gone = { kind: 'deleteFromColumn', ...there, timestamps: {} } as const
        const deletes = { when: [there], ifMatched: [gone], otherwise: [] }
        assert.equal(await changed((store) => store.checkAndMutateRow(ROW, deletes)), true)
      }
    }
    // One that remembers nothing supposes that there is no row.
    const forgetful: Changing = async (change) => {
      const store = await cluster.open('coming/')
      return await change(store).finally(() => store.close())
    }
    await Promise.all([
      ...stores.map((store, at) => own(`own${at}`, 200, (change) => change(store))),
      own('forgetful', 60, forgetful),
    ])
    assert.deepEqual(await stores[0].readRows([ROW], [{ family: 'data' }]), [null])
  })

  test('lose a cell to one of those who delete it, while another column changes', async (t) => {
    const stores = await opened(t, 'deleted/')
    const [one] = stores
    let isDeleting = true
    const ticking = async () => {
      while (isDeleting) await one.readModifyWriteRow(ROW, [{ ...TICKS, by: 1n }])
    }
    const running = ticking()
    const when = [FENCE]
    const gone = { kind: 'deleteFromColumn', ...FENCE, timestamps: {} } as const
    for (let at = 0; at < 100; at++) {
      await one.mutateRows([{ row: ROW, mutations: [setCounter(FENCE, at)] }])
      const deleted = await Promise.all(
        stores.map((store) =>
          store.checkAndMutateRow(ROW, { when, ifMatched: [gone], otherwise: [] }),
        ),
      )
      assert.deepEqual(deleted.sort(), [false, true])
    }
    isDeleting = false
    await running
  })
})

type Changing = (change: (store: CellStore) => Promise<boolean>) => Promise<boolean>

function setCounter({ family, qualifier }: typeof TICKS, value: number) {
  return {
    ...({ kind: 'setCell', family, qualifier, timestamp: 9 } as const),
    value: numberBytes(value),
  }
}
