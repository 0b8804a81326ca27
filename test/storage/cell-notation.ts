// SPDX-License-Identifier: Apache-2.0
import { type Cell, FAMILIES } from '../../storage/cells/cell.ts'
import type { CellStore } from '../../storage/cells/cell-store.ts'
import { decodeLock, encodeLock } from '../../storage/transactions/records/lock.ts'
import {
  decodeStartTs,
  decodeWriteRecord,
  encodeStartTs,
  encodeWriteRecord,
  type WrittenContent,
} from '../../storage/transactions/records/write-record.ts'

/**
 * One line for each cell, for the fixtures of protocol scenarios. A row may name its column after a
 * dot (`bob.1`); without one it is column 0.
 *
 *     bob data@5 = ten             bob write@6 -> 5 put seven     bob write@6 -> 5 data 300
 *     bob write@6 -> 5 delete      bob lock@7 primary=bob put 3   joe lock@7 primary=bob guard
 *     bob rollback@7               bob guard@9 -> 7               bob.7 notify@5
 *     bob.ack/7 write@9 -> 8 put 8                                bob.7 notify@30 of 5
 *
 * A lock belongs to the incarnation OWNER_A unless it says `owner=b`; its wall time is its startTs.
 */
export const OWNER_A = 'aa'.repeat(16)
export const OWNER_B = 'bb'.repeat(16)

export async function givenCells(cellStore: CellStore, lines: readonly string[]): Promise<void> {
  for (const line of lines) {
    const { row, cell } = parseCell(line)
    await cellStore.mutateRows([{ row, mutations: [{ kind: 'setCell', ...cell }] }])
  }
}

/** All cells of the store but those of the system rows, a line each, in row order. */
export async function cellLines(cellStore: CellStore): Promise<string[]> {
  const lines: string[] = []
  const filter = FAMILIES.map((family) => ({ family }))
  for await (const { key, cells } of cellStore.scanRows({ start: Uint8Array.of(1), filter })) {
    for (const cell of cells) lines.push(formatCell(Buffer.from(key).toString(), cell))
  }
  return lines
}

export function rowKey(name: string): Uint8Array {
  return Buffer.from(name)
}

function parseCell(line: string): { row: Uint8Array; cell: Cell } {
  const match = /^(\w+)(?:\.([\w/]+))? (\w+)@(\d+)(?: (.*))?$/.exec(line)
  if (match === null) throw new Error(`not a cell: ${line}`)
  const [, row = '', qualifier = '0', family, timestampText, rest = ''] = match
  const timestamp = Number(timestampText)
  const value = parseValue(family as Cell['family'], timestamp, rest)
  return {
    row: rowKey(row),
    cell: { family: family as Cell['family'], qualifier, timestamp, value },
  }
}

function parseValue(family: Cell['family'], timestamp: number, rest: string): Uint8Array {
  switch (family) {
    case 'data':
      return Buffer.from(rest.replace(/^= /, ''))
    case 'write': {
      const [, startTs, content = ''] = /^-> (\d+) (.*)$/.exec(rest) ?? []
      return encodeWriteRecord({ startTs: Number(startTs), content: parseContent(content) })
    }
    case 'guard':
      return encodeStartTs(Number(rest.replace('-> ', '')))
    case 'rollback':
      return new Uint8Array()
    case 'notify':
      return rest === '' ? new Uint8Array() : encodeStartTs(Number(rest.replace('of ', '')))
    case 'lock': {
      const [, row = '', column = '0', owner = 'a', content = ''] =
        /^primary=(\w+)(?:\.(\w+))?(?: owner=(\w))? (.*)$/.exec(rest) ?? []
      return encodeLock({
        startTs: timestamp,
        primary: { row: rowKey(row), column },
        incarnation: owner === 'a' ? OWNER_A : OWNER_B,
        wallMicros: timestamp,
        content: content === 'guard' ? { kind: 'guard' } : parseContent(content),
      })
    }
  }
}

function parseContent(text: string): WrittenContent {
  if (text === 'delete') return { kind: 'delete' }
  const [kind, rest = ''] = text.split(/ (.*)/)
  if (kind === 'put') return { kind: 'inline', value: Buffer.from(rest) }
  if (kind === 'data') return { kind: 'data', byteLength: Number(rest) }
  throw new Error(`not a content: ${text}`)
}

function formatCell(row: string, { family, qualifier, timestamp, value }: Cell): string {
  const address = `${row}${qualifier === '0' ? '' : `.${qualifier}`} ${family}@${timestamp}`
  switch (family) {
    case 'data':
      return `${address} = ${Buffer.from(value).toString()}`
    case 'write': {
      const { startTs, content } = decodeWriteRecord(value)
      return `${address} -> ${startTs} ${formatContent(content)}`
    }
    case 'guard':
      return `${address} -> ${decodeStartTs(value)}`
    case 'lock': {
      const { primary, content, incarnation } = decodeLock(timestamp, value)
      const column = primary.column === '0' ? '' : `.${primary.column}`
      const owner = incarnation === OWNER_B ? ' owner=b' : ''
      const what = content.kind === 'guard' ? 'guard' : formatContent(content)
      return `${address} primary=${Buffer.from(primary.row)}${column}${owner} ${what}`
    }
    case 'notify':
      return value.length === 0 ? address : `${address} of ${decodeStartTs(value)}`
    default:
      return address
  }
}

function formatContent(content: WrittenContent): string {
  switch (content.kind) {
    case 'inline':
      return `put ${Buffer.from(content.value)}`
    case 'data':
      return `data ${content.byteLength}`
    case 'delete':
      return 'delete'
  }
}
