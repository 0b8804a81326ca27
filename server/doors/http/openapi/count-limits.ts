// SPDX-License-Identifier: Apache-2.0
import { ALL_LIMITS } from '../../../limits.ts'
import { type JsonObject, objectAt, resolvePointer, type SchemaPointer } from './document.ts'

/** A limit of the items or members that a value may have. */
export type CountLimit = {
  /** The property that holds the value; undefined for the value itself. */
  readonly property: string | undefined
  readonly limit: LimitName
  readonly limitValue: number
  readonly isOfLists: boolean
  readonly isOfObjects: boolean
}

export type Exceeded = {
  readonly limit: LimitName
  readonly limitValue: number
  readonly actual: number
}

type LimitName = keyof typeof ALL_LIMITS

/**
 * The limits that schemas declare as `x-limit`, of the values themselves and of their properties: they
 * are looked at before anything else, so that the error is the limit and not what is wrong with an item
 * beyond it. Throws where a limit does not exist.
 */
export function countLimitsOf(
  document: JsonObject,
  pointers: readonly SchemaPointer[],
): CountLimit[] {
  const found = pointers.flatMap((pointer) => {
    const at = resolvePointer(document, pointer)
    const { properties = {} } = objectAt(document, at)
    const ofProperties = Object.keys(properties as JsonObject).map((property) =>
      countLimitAt(document, `${at}/properties/${property}`, property),
    )
    return [countLimitAt(document, pointer, undefined), ...ofProperties]
  })
  const byPlace = new Map(
    found.flatMap((each) => (each === undefined ? [] : [[each.property, each] as const])),
  )
  return [...byPlace.values()]
}

function countLimitAt(
  document: JsonObject,
  pointer: SchemaPointer,
  property: string | undefined,
): CountLimit | undefined {
  const at = resolvePointer(document, pointer)
  const { 'x-limit': limit, type } = objectAt(document, at)
  if (limit === undefined) return undefined
  if (!Object.hasOwn(ALL_LIMITS, String(limit))) {
    throw new Error(`openapi.yaml: ${at} has the limit ${limit}, which does not exist.`)
  }
  const types = [type].flat()
  return {
    property,
    limit: limit as LimitName,
    limitValue: ALL_LIMITS[limit as LimitName],
    isOfLists: types.includes('array'),
    isOfObjects: types.includes('object'),
  }
}

/** The first limit that the value exceeds, as a violation. */
export function exceededIn(limits: readonly CountLimit[], value: unknown) {
  for (const each of limits) {
    const actual = countOf(each, partOf(value, each.property))
    if (actual <= each.limitValue) continue
    const pointer = each.property === undefined ? '' : `/${each.property}`
    const { limit, limitValue } = each
    const exceeded: Exceeded = { limit, limitValue, actual }
    return { pointer, message: 'is too long', exceeded }
  }
  return undefined
}

function partOf(value: unknown, property: string | undefined): unknown {
  if (property === undefined) return value
  return typeof value === 'object' && value !== null && Object.hasOwn(value, property)
    ? (value as JsonObject)[property]
    : undefined
}

function countOf({ isOfLists, isOfObjects }: CountLimit, value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  if (Array.isArray(value)) return isOfLists ? value.length : 0
  return isOfObjects ? Object.keys(value).length : 0
}
