// SPDX-License-Identifier: Apache-2.0
import type { CellHistory, Family, Mark } from './cell-history.ts'

/** Stamps that are drawn at first, and how many more come by "older". */
export const STAMPS_PAGE = 20

const COLUMN = 136
const BOX = { width: 120, height: 40 }
const LANE = 56
const AXIS = 44
const TITLE = 26
const GAP = 12

export type Box = {
  readonly mark: Mark
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

export type Timeline = {
  readonly width: number
  readonly height: number
  /** Stamps before the first one that is drawn. */
  readonly older: number
  /** Those that are drawn, evenly spaced; `x` is the middle. */
  readonly stamps: ReadonlyArray<{ readonly timestamp: number; readonly x: number }>
  readonly columnWidth: number
  /** `y` is the base line of its text. */
  readonly titles: ReadonlyArray<{ readonly text: string; readonly y: number }>
  /** `y` is the upper edge. */
  readonly lanes: ReadonlyArray<{
    readonly family: Family
    readonly strand: number
    readonly y: number
    readonly height: number
  }>
  readonly boxes: readonly Box[]
  /** From a write record to its value. */
  readonly curves: ReadonlyArray<{
    readonly transaction: number
    readonly id: string
    readonly path: string
  }>
}

/** Where everything is drawn, with the last `count` stamps. */
export function layoutOf(history: CellHistory, count: number): Timeline {
  const { strands, marks, stamps } = history
  const older = Math.max(0, stamps.length - count)
  const shown = stamps.slice(older)
  const xOf = new Map(shown.map((timestamp, at) => [timestamp, at * COLUMN + COLUMN / 2]))
  const titles: Array<Timeline['titles'][number]> = []
  const lanes: Array<Timeline['lanes'][number]> = []
  let y = AXIS
  strands.forEach(({ title, families }, strand) => {
    titles.push({ text: title, y: y + TITLE - 8 })
    y += TITLE
    for (const family of families) {
      lanes.push({ family, strand, y, height: LANE })
      y += LANE
    }
    y += GAP
  })
  const boxes = marks.flatMap((mark) => {
    const lane = lanes.find(
      ({ strand, family }) => strand === mark.strand && family === mark.family,
    )
    const box = lane === undefined ? undefined : boxOf(mark, lane.y, xOf)
    return box === undefined ? [] : [box]
  })
  return {
    width: Math.max(1, shown.length) * COLUMN,
    height: y,
    older,
    stamps: shown.map((timestamp) => ({ timestamp, x: xOf.get(timestamp) as number })),
    columnWidth: COLUMN,
    titles,
    lanes,
    boxes,
    curves: curvesOf(boxes),
  }
}

function boxOf(mark: Mark, laneY: number, xOf: ReadonlyMap<number, number>): Box | undefined {
  const y = laneY + (LANE - BOX.height) / 2
  if (mark.look !== 'supposed') {
    const x = xOf.get(mark.timestamp)
    return x === undefined ? undefined : { mark, x: x - BOX.width / 2, y, ...BOX }
  }
  // From its start to its commit; the start may be too old to be drawn.
  const end = xOf.get(mark.until ?? Number.NaN)
  if (end === undefined) return undefined
  const begin = xOf.get(mark.timestamp)
  const x = begin === undefined ? 0 : begin - BOX.width / 2
  return { mark, x, y, width: Math.max(8, end - 8 - x), height: BOX.height }
}

function curvesOf(boxes: readonly Box[]): Array<Timeline['curves'][number]> {
  return boxes
    .filter(({ mark }) => mark.family === 'write')
    .flatMap((record) => {
      const { strand, transaction } = record.mark
      const data = boxes.find(
        ({ mark }) =>
          mark.family === 'data' && mark.strand === strand && mark.timestamp === transaction,
      )
      if (data === undefined || transaction === undefined) return []
      const from = { x: record.x + BOX.width / 2, y: record.y }
      const to = { x: data.x + BOX.width / 2, y: data.y + data.height }
      const bend = (from.y - to.y) / 2
      const path = `M${from.x} ${from.y} C${from.x} ${from.y - bend} ${to.x} ${to.y + bend} ${to.x} ${to.y}`
      return [{ transaction, id: record.mark.id, path }]
    })
}

/** The mark that an arrow leads to from `id`: along its lane, or to the nearest one of the next lane that has one. */
export function markAfter(key: string, { boxes, lanes }: Timeline, id: string): string | undefined {
  const at = boxes.find(({ mark }) => mark.id === id)
  if (at === undefined) return undefined
  const middle = (box: Box) => box.x + box.width / 2
  const lane = (box: Box) => box.y
  if (key === 'ArrowLeft' || key === 'ArrowRight') {
    const along = boxes
      .filter((box) => lane(box) === lane(at))
      .sort((one, other) => middle(one) - middle(other))
    const next = along.indexOf(at) + (key === 'ArrowRight' ? 1 : -1)
    return along[next]?.mark.id
  }
  if (key === 'Home' || key === 'End') {
    const along = boxes
      .filter((box) => lane(box) === lane(at))
      .sort((one, other) => middle(one) - middle(other))
    return along.at(key === 'Home' ? 0 : -1)?.mark.id
  }
  if (key !== 'ArrowUp' && key !== 'ArrowDown') return undefined
  const isOn = (box: Box) => (key === 'ArrowDown' ? lane(box) > lane(at) : lane(box) < lane(at))
  const onward = boxes.filter(isOn)
  if (onward.length === 0 || lanes.length === 0) return undefined
  const edges = onward.map(lane)
  const next = key === 'ArrowDown' ? Math.min(...edges) : Math.max(...edges)
  const far = (box: Box) => Math.abs(middle(box) - middle(at))
  return onward.filter((box) => lane(box) === next).sort((one, other) => far(one) - far(other))[0]
    ?.mark.id
}
