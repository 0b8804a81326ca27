// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { WireKeySample } from './bigtable-messages.ts'
import { splitPointsOf } from './split-points.ts'

const MIB = 1024 * 1024

function sample(key: string, mib: number): WireKeySample {
  return { rowKey: Buffer.from(key), offsetBytes: String(mib * MIB) }
}

function keysOf(samples: readonly WireKeySample[]): string[] {
  return splitPointsOf(samples).map((point) => Buffer.from(point).toString())
}

describe('points that divide a table of Bigtable', () => {
  test('are none in a small one, however many keys are sampled', () => {
    const samples = Array.from({ length: 100 }, (_, at) => sample(`row-${at}`, at / 10))
    assert.deepEqual(keysOf([{ rowKey: Buffer.from('row') }, ...samples]), [])
  })

  test('are sixteen mebibytes apart at least', () => {
    const samples = ['a', 'b', 'c', 'd', 'e', 'f'].map((key, at) => sample(key, at * 10))
    assert.deepEqual(keysOf(samples), ['c', 'e'])
    const tablets = ['a', 'b', 'c'].map((key, at) => sample(key, (at + 1) * 200))
    assert.deepEqual(keysOf(tablets), ['a', 'b', 'c'])
  })

  test('do not name the end of the table, which is sampled with no key', () => {
    assert.deepEqual(keysOf([sample('m', 100), sample('', 200)]), ['m'])
    assert.deepEqual(keysOf([{ offsetBytes: String(200 * MIB) }]), [])
  })
})
