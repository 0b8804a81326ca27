// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import fc from 'fast-check'
import type { Cell, Family, Row } from './cell.ts'
import {
  type CellStore,
  CellStoreError,
  type CellStoreErrorKind,
  type RowScan,
} from './cell-store.ts'
import { answerOf, clear, program, textOfRow } from './cell-store-programs.ts'
import type { Mutation } from './mutation.ts'
import { NaiveCellStore } from './naive-cell-store.ts'
import type { RowFilter } from './row-filter.ts'

export type OpenedEngine = {
  readonly store: CellStore
  /** Closes the store and removes what it left. */
  dispose(): Promise<void>
}

const WHOLE_ROW: RowFilter = [
  { family: 'data' },
  { family: 'lock' },
  { family: 'write' },
  { family: 'rollback' },
  { family: 'guard' },
  { family: 'notify' },
]

/** What every engine must do. Each scenario runs on a fresh store. */
export function describeCellStore(name: string, openEngine: () => Promise<OpenedEngine>): void {
  describe(`${name}: the contract of the cell store`, () => {
    let engine: OpenedEngine
    let store: CellStore
    beforeEach(async () => {
      engine = await openEngine()
      store = engine.store
    })
    afterEach(() => engine.dispose())

    const given = async (row: string, ...cells: string[]) => {
      const errors = await store.mutateRows([{ row: bytes(row), mutations: cells.map(set) }])
      assert.deepEqual(errors, [null])
    }
    const read = async (row: string, filter: RowFilter = WHOLE_ROW) => {
      const [found] = await store.readRows([bytes(row)], filter)
      return cellsOf(found as Row | null)
    }
    const scan = async (range: Partial<RowScan> = {}) => {
      const rows: string[] = []
      const whole = { start: new Uint8Array(), filter: WHOLE_ROW }
      for await (const row of store.scanRows({ ...whole, ...range })) rows.push(text(row.key))
      return rows
    }

    test('a row is read in the order of family, qualifier in UTF-8, newest timestamp', async () => {
      const ordered = ['data 0@9=a', 'data 0@5=b', 'data \uffff@1=c', 'data \u{10000}@1=d']
      const families = ['lock 0@1=', 'write 0@1=', 'rollback 0@1=', 'guard 0@1=', 'notify 0@1=']
      await given('bob', ...[...ordered, ...families].reverse())
      assert.deepEqual(await read('bob'), [...ordered, ...families])
    })

    test('a cell written again at the same timestamp is replaced', async () => {
      await given('bob', 'data 0@5=old', 'data 0@5=new')
      assert.deepEqual(await read('bob'), ['data 0@5=new'])
    })

    test('mutations of a row are applied in their order', async () => {
      const clear: Mutation = { kind: 'deleteFromColumn', ...column('data 0'), timestamps: {} }
      await store.mutateRows([
        { row: bytes('bob'), mutations: [set('data 0@5=gone'), clear, set('data 0@4=kept')] },
        { row: bytes('joe'), mutations: [set('data 0@5=gone'), set('data 1@5=kept'), clear] },
      ])
      assert.deepEqual(await read('bob'), ['data 0@4=kept'])
      assert.deepEqual(await read('joe'), ['data 1@5=kept'])
    })

    test('a deletion takes the timestamps from its lower up to below its upper bound', async () => {
      await given('bob', 'data 0@4=4', 'data 0@5=5', 'data 0@6=6', 'data 0@7=7', 'data 1@5=5')
      const timestamps = { from: 5, until: 7 }
      const mutations = [{ kind: 'deleteFromColumn', ...column('data 0'), timestamps } as const]
      await store.mutateRows([{ row: bytes('bob'), mutations }])
      assert.deepEqual(await read('bob'), ['data 0@7=7', 'data 0@4=4', 'data 1@5=5'])
    })

    test('a row whose last cell was deleted is no row any more', async () => {
      await given('bob', 'lock 0@7=x')
      const mutations = [{ kind: 'deleteFromColumn', ...column('lock 0'), timestamps: {} } as const]
      await store.mutateRows([{ row: bytes('bob'), mutations }])
      assert.deepEqual(await read('bob'), [])
      assert.deepEqual(await scan(), [])
    })

    const versions = ['write 0@9=c', 'write 0@7=b', 'write 0@5=a', 'write 1@8=z', 'lock 0@8=x']
    const filters: ReadonlyArray<[scenario: string, filter: RowFilter, left: string[]]> = [
      ['an empty filter chooses nothing', [], []],
      ['a family', [{ family: 'lock' }], ['lock 0@8=x']],
      ['a column', [{ ...column('write 1') }], ['write 1@8=z']],
      [
        'a lower bound includes its timestamp',
        [{ ...column('write 0'), timestamps: { from: 7 } }],
        ['write 0@9=c', 'write 0@7=b'],
      ],
      [
        'an upper bound excludes its timestamp',
        [{ ...column('write 0'), timestamps: { until: 7 } }],
        ['write 0@5=a'],
      ],
      [
        'an empty range of timestamps',
        [{ family: 'write', timestamps: { from: 7, until: 7 } }],
        [],
      ],
      [
        'an inverted range of timestamps',
        [{ family: 'write', timestamps: { from: 9, until: 5 } }],
        [],
      ],
      [
        'the newest of each column',
        [{ family: 'write', newest: 1 }],
        ['write 0@9=c', 'write 1@8=z'],
      ],
      [
        'the newest of what the timestamps leave',
        [{ family: 'write', timestamps: { until: 8 }, newest: 1 }],
        ['write 0@7=b'],
      ],
      [
        'a range of values includes its start and excludes its end',
        [{ family: 'write', values: { start: bytes('a'), end: bytes('c') } }],
        ['write 0@7=b', 'write 0@5=a'],
      ],
      [
        'a range of values without an end',
        [{ family: 'write', values: { start: bytes('c') } }],
        ['write 0@9=c', 'write 1@8=z'],
      ],
      [
        'values are looked at after the newest are taken',
        [{ ...column('write 0'), newest: 1, values: { start: bytes('a'), end: bytes('c') } }],
        [],
      ],
      [
        'several selectors: each cell once and in order',
        [{ family: 'lock' }, { family: 'write', newest: 1 }, { ...column('write 0') }],
        ['lock 0@8=x', 'write 0@9=c', 'write 0@7=b', 'write 0@5=a', 'write 1@8=z'],
      ],
    ]
    for (const [scenario, filter, left] of filters) {
      test(`filter, ${scenario}: as a read, as a scan and as a predicate`, async () => {
        await given('bob', ...versions)
        assert.deepEqual(await read('bob', filter), left)
        for (const reverse of [false, true]) {
          assert.deepEqual(await scan({ filter, reverse }), left.length > 0 ? ['bob'] : [])
        }
        const step = { when: filter, ifMatched: [set('data t@1=')], otherwise: [set('data f@1=')] }
        assert.equal(await store.checkAndMutateRow(bytes('bob'), step), left.length > 0)
        assert.deepEqual(await read('bob', [{ family: 'data' }]), [
          left.length > 0 ? 'data t@1=' : 'data f@1=',
        ])
      })
    }

    test('a predicate looks at its own row only and an empty list changes nothing', async () => {
      await given('bob', 'lock 0@7=x')
      const step = {
        when: [{ family: 'lock' } as const],
        ifMatched: [set('data 0@1=')],
        otherwise: [],
      }
      assert.equal(await store.checkAndMutateRow(bytes('bo'), step), false)
      assert.equal(await store.checkAndMutateRow(bytes('bob\0'), step), false)
      assert.deepEqual(await scan(), ['bob'])
    })

    test('of many concurrent conditional mutations of one row exactly one wins', async () => {
      const attempts = Array.from({ length: 50 }, (_, at) =>
        store.checkAndMutateRow(bytes('bob'), {
          when: [{ family: 'lock', qualifier: '0' }],
          ifMatched: [],
          otherwise: [set(`lock 0@${at + 1}=${at}`)],
        }),
      )
      const matched = await Promise.all(attempts)
      const winner = matched.indexOf(false)
      assert.equal(matched.filter((one) => !one).length, 1)
      assert.deepEqual(await read('bob'), [`lock 0@${winner + 1}=${winner}`])
    })

    test('what was acknowledged is read by the next call', async () => {
      for (let at = 1; at <= 20; at++) {
        await given('bob', `data 0@${at}=${at}`)
        assert.deepEqual(await read('bob', [{ family: 'data', newest: 1 }]), [`data 0@${at}=${at}`])
      }
    })

    test('many rows are answered in the order asked, with null for those without a cell', async () => {
      await given('a', 'data 0@1=a')
      await given('b', 'data 0@1=b')
      const keys = ['b', 'x', 'a', 'b'].map(bytes)
      const rows = await store.readRows(keys, [{ family: 'data' }])
      assert.deepEqual(rows.map(cellsOf), [['data 0@1=b'], [], ['data 0@1=a'], ['data 0@1=b']])
      assert.equal(rows[1], null)
    })

    test('a scan goes from its start up to below its end, and backward over the same rows', async () => {
      const keys = ['\0', '\0\0', 'a', 'a\0', 'a\xff', 'b', '\xff', '\xff\xff']
      for (const key of keys) await given(key, 'data 0@1=')
      const ranges: ReadonlyArray<[Partial<RowScan>, string[]]> = [
        [{}, keys],
        [{ start: bytes('a'), end: bytes('b') }, ['a', 'a\0', 'a\xff']],
        [{ start: bytes('a\0'), end: bytes('a\xff') }, ['a\0']],
        [{ start: bytes('b') }, ['b', '\xff', '\xff\xff']],
        [{ end: bytes('a') }, ['\0', '\0\0']],
        [{ start: bytes('a'), end: bytes('a') }, []],
        [{ start: bytes('b'), end: bytes('a') }, []],
        [{ end: new Uint8Array() }, []],
      ]
      for (const [range, expected] of ranges) {
        assert.deepEqual(await scan(range), expected)
        assert.deepEqual(await scan({ ...range, reverse: true }), expected.toReversed())
      }
    })

    test('a limit counts the rows that the filter leaves, in either direction', async () => {
      for (const key of ['a', 'b', 'c', 'd']) await given(key, 'data 0@1=')
      await given('b', 'lock 0@7=x')
      await given('d', 'lock 0@7=x')
      const filter: RowFilter = [{ family: 'lock' }]
      assert.deepEqual(await scan({ filter, limit: 1 }), ['b'])
      assert.deepEqual(await scan({ filter, limit: 1, reverse: true }), ['d'])
      assert.deepEqual(await scan({ filter, limit: 9 }), ['b', 'd'])
      assert.deepEqual(await scan({ limit: 0 }), [])
    })

    test('a long scan gives each row once, whole, in order, in either direction', async () => {
      const keys = Array.from({ length: 2_000 }, (_, at) => String(at).padStart(4, '0'))
      // Every third row has more versions than a sweep reads, and many rows have only a lock.
      const cells = (at: number) => {
        if (at % 5 === 0) return ['lock 0@7=x']
        const count = at % 3 === 0 ? 20 : 2
        return Array.from({ length: count }, (_, version) => `write 0@${version + 1}=${version}`)
      }
      const entries = keys.map((key, at) => ({ row: bytes(key), mutations: cells(at).map(set) }))
      await store.mutateRows(entries)
      const filter: RowFilter = [{ family: 'lock' }, { family: 'write', newest: 1 }]
      for (const reverse of [false, true]) {
        const found: string[] = []
        for await (const row of store.scanRows({ start: new Uint8Array(), filter, reverse })) {
          found.push(`${text(row.key)} ${cellsOf(row)}`)
        }
        const expected = keys.map((key, at) => `${key} ${cells(at).at(-1)}`)
        assert.deepEqual(found, reverse ? expected.reverse() : expected)
      }
    })

    test('a scan goes on when the row that it stands on is deleted', async () => {
      for (const key of ['a', 'b', 'd']) await given(key, 'data 0@1=')
      const found: string[] = []
      for await (const row of store.scanRows({ start: bytes('a'), filter: WHOLE_ROW, limit: 9 })) {
        found.push(text(row.key))
        if (found.length > 1) continue
        const timestamps = {}
        const mutations = [{ kind: 'deleteFromColumn', ...column('data 0'), timestamps } as const]
        await store.mutateRows([{ row: bytes('a'), mutations }])
      }
      assert.deepEqual(found, ['a', 'b', 'd'])
      assert.deepEqual(await scan(), ['b', 'd'])
    })

    test('an aborted scan ends with the reason of its signal', async () => {
      for (const key of ['a', 'b']) await given(key, 'data 0@1=')
      const abort = new AbortController()
      const reason = new Error('enough')
      const walk = async () => {
        const { signal } = abort
        for await (const _ of store.scanRows({ start: bytes('a'), filter: WHOLE_ROW, signal })) {
          abort.abort(reason)
        }
      }
      await assert.rejects(walk, reason)
    })

    test('counters of one row are increased together and are cells like any other', async () => {
      const row = bytes('oracle')
      const ticks = { family: 'data', qualifier: 'ticks' } as const
      const fence = { family: 'data', qualifier: 'fence' } as const
      const add = (...by: [bigint, bigint]) =>
        store.readModifyWriteRow(row, [
          { ...ticks, by: by[0] },
          { ...fence, by: by[1] },
        ])
      assert.deepEqual(await add(5n, 0n), [5n, 0n])
      assert.deepEqual(await add(-7n, 1n), [-2n, 1n])
      const together = await Promise.all([add(10n, 0n), add(10n, 0n), add(10n, 0n)])
      assert.deepEqual(together, [
        [8n, 1n],
        [18n, 1n],
        [28n, 1n],
      ])
      const values = { start: Buffer.from('000000000000001c', 'hex') }
      assert.equal((await store.readRows([row], [{ ...ticks, newest: 1, values }])).length, 1)
      assert.notEqual((await store.readRows([row], [{ ...ticks, newest: 1, values }]))[0], null)
    })

    test('a counter counts on from the newest cell that a mutation has set', async () => {
      const value = Buffer.from('0000000000000064', 'hex')
      const mutations = [{ kind: 'setCell', ...column('data n'), timestamp: 9, value } as const]
      await store.mutateRows([{ row: bytes('bob'), mutations }])
      const increment = { ...column('data n'), by: 1n }
      assert.deepEqual(await store.readModifyWriteRow(bytes('bob'), [increment]), [101n])
      assert.deepEqual(await store.readModifyWriteRow(bytes('bob'), [increment]), [102n])
    })

    test('a cell that is no counter refuses an increment, and nothing of the call happens', async () => {
      await given('bob', 'data n@1=text')
      const increments = [
        { ...column('data m'), by: 1n },
        { ...column('data n'), by: 1n },
      ]
      const attempt = store.readModifyWriteRow(bytes('bob'), increments)
      const neighbour = store.readModifyWriteRow(bytes('bob'), [{ ...column('data k'), by: 1n }])
      await assert.rejects(attempt, ofKind('invalid'))
      assert.deepEqual(await neighbour, [1n])
      const left = (await read('bob')).filter((cell) => !cell.startsWith('data k'))
      assert.deepEqual(left, ['data n@1=text'])
    })

    test('a wrong entry of mutateRows fails alone', async () => {
      const tooLong = new Uint8Array(store.limits.rowKeyBytesMax + 1)
      const longest = new Uint8Array(store.limits.rowKeyBytesMax)
      const mutations = [set('data 0@1=')]
      const errors = await store.mutateRows([
        { row: bytes('a'), mutations },
        { row: tooLong, mutations },
        { row: longest, mutations },
        { row: new Uint8Array(), mutations },
        { row: bytes('b'), mutations },
      ])
      const kinds = errors.map((error) => error?.kind ?? null)
      assert.deepEqual(kinds, [null, 'invalid', null, 'invalid', null])
      assert.deepEqual(await scan(), [text(longest), 'a', 'b'])
    })

    test('calls that can never be right are refused as invalid', async () => {
      const row = bytes('bob')
      const when = (filter: RowFilter) =>
        store.checkAndMutateRow(row, { when: filter, ifMatched: [], otherwise: [] })
      const write = (mutation: Mutation) =>
        store.checkAndMutateRow(row, { when: [], ifMatched: [], otherwise: [mutation] })
      const huge = new Uint8Array(store.limits.cellBytesMax + 1)
      const calls = [
        () => when([{ family: 'nope' as Family }]),
        () => when([{ family: 'data', newest: 0 }]),
        () => when([{ family: 'data', timestamps: { from: -1 } }]),
        () => when([{ family: 'data', timestamps: { until: 1.5 } }]),
        () => when([{ family: 'data', qualifier: '\ud800' }]),
        () => write({ ...(set('data 0@1=') as object), timestamp: -1 } as Mutation),
        () => write({ ...(set('data 0@1=') as object), value: huge } as Mutation),
        () => store.readRows([new Uint8Array()], WHOLE_ROW),
        () => store.readModifyWriteRow(row, [{ ...column('data n'), by: 2n ** 63n }]),
        () => scan({ limit: -1 }),
      ]
      for (const call of calls) await assert.rejects(call(), ofKind('invalid'), call.toString())
    })

    test('a closed store refuses every call, and a scan that is under way', async () => {
      for (const key of ['a', 'b']) await given(key, 'data 0@1=')
      const underWay = store.scanRows({ start: bytes('a'), filter: WHOLE_ROW, limit: 1_000 })
      await store.close()
      await store.close()
      const row = bytes('a')
      const calls = [
        () => store.checkAndMutateRow(row, { when: [], ifMatched: [], otherwise: [] }),
        () => store.mutateRows([{ row, mutations: [] }]),
        () => store.readRows([row], WHOLE_ROW),
        () => store.readModifyWriteRow(row, []),
        () => store.splitPoints(),
        () => scan(),
        () => Array.fromAsync(underWay),
      ]
      for (const call of calls) await assert.rejects(call(), ofKind('closed'), call.toString())
    })

    test('close waits for the writes that were asked before it', async () => {
      const write = store.mutateRows([{ row: bytes('a'), mutations: [set('data 0@1=')] }])
      await store.close()
      assert.deepEqual(await write, [null])
    })

    test('random programs get the answers of the naive store', async () => {
      await fc.assert(
        fc.asyncProperty(program, async (operations) => {
          await clear(store)
          const naive = new NaiveCellStore()
          for (const operation of operations) {
            const expected = await answerOf(naive, operation)
            assert.equal(await answerOf(store, operation), expected)
          }
          const everything = { start: new Uint8Array(), filter: WHOLE_ROW }
          const left = await Array.fromAsync(store.scanRows(everything))
          assert.deepEqual(left.map(textOfRow), naive.scanRows(everything).map(textOfRow))
        }),
        // Shrinking a failure runs many programs; it must not outlast the patience of a reader.
        { numRuns: 100, interruptAfterTimeLimit: 15_000, markInterruptAsFailure: true },
      )
    })
  })
}

/** `data 0@5=value` as a mutation that sets this cell. */
function set(cell: string): Mutation {
  const [, family, qualifier, timestamp, value] = /^(\w+) (.*)@(\d+)=(.*)$/su.exec(cell) as string[]
  return {
    kind: 'setCell',
    ...column(`${family} ${qualifier}`),
    timestamp: Number(timestamp),
    value: bytes(value as string),
  }
}

function column(column: string): { family: Family; qualifier: string } {
  const [family, qualifier] = column.split(' ') as [Family, string]
  return { family, qualifier }
}

function cellsOf(row: Row | null): string[] {
  return (row?.cells ?? []).map(({ family, qualifier, timestamp, value }: Cell) => {
    return `${family} ${qualifier}@${timestamp}=${text(value)}`
  })
}

/** One character a byte. */
function bytes(text: string): Uint8Array {
  return Buffer.from(text, 'latin1')
}

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1')
}

function ofKind(kind: CellStoreErrorKind) {
  return (error: unknown) => error instanceof CellStoreError && error.kind === kind
}
