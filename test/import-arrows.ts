// SPDX-License-Identifier: Apache-2.0
import { posix } from 'node:path'
import type { Import, SourceFile } from './source-file.ts'

// The arrows between the rooms, and inside storage between its layers, as `docs/architecture.md`
// draws them. Imports of types count like all others.

type Target = { readonly path: string; readonly typeOnly?: true }

type Room = {
  /** What of other rooms may be imported: a room's door, or a file of which only types are taken. */
  readonly doors: readonly Target[]
  readonly packages: readonly RegExp[]
}

const NODE_BUILTIN = /^node:/

const ROOMS: Readonly<Record<string, Room>> = {
  parser: { doors: [], packages: [/^chevrotain$/] },
  planner: {
    doors: [{ path: 'parser/ast.ts', typeOnly: true }, { path: 'storage/storage.ts' }],
    packages: [NODE_BUILTIN],
  },
  storage: { doors: [], packages: [NODE_BUILTIN, /^better-sqlite3$/] },
  server: {
    doors: [
      { path: 'parser/parser.ts' },
      { path: 'parser/ast.ts', typeOnly: true },
      { path: 'planner/planner.ts' },
      { path: 'storage/storage.ts' },
    ],
    packages: [NODE_BUILTIN, /./],
  },
  'client-sdk': { doors: [], packages: [] },
  // Observers are written with one file of the server, which imports nothing.
  examples: {
    doors: [{ path: 'client-sdk/client.ts' }, { path: 'server/observers/define-observer.ts' }],
    packages: [NODE_BUILTIN],
  },
  // Beside the door, what transactions and timestamps are measured against. The server is a process,
  // which loads observers, and whose observers also run elsewhere.
  bench: {
    doors: [
      { path: 'client-sdk/client.ts' },
      { path: 'server/observers/define-observer.ts' },
      { path: 'storage/storage.ts' },
      { path: 'storage/cell-store/sqlite-cell-store.ts' },
      { path: 'storage/cell-store/embedded-cell-store.ts' },
      { path: 'storage/cell-store/cell-store.ts', typeOnly: true },
      { path: 'storage/cell-store/row-filter.ts', typeOnly: true },
      { path: 'storage/oracle/embedded-oracle.ts' },
      { path: 'storage/oracle/shared-oracle.ts' },
      { path: 'storage/oracle/timestamp-oracle.ts', typeOnly: true },
    ],
    packages: [NODE_BUILTIN, /./],
  },
}

/** Packages that one room or kind of file keeps to itself. */
const PACKAGE_OWNERS: ReadonlyArray<{ readonly package: RegExp; readonly owner: RegExp }> = [
  { package: /^better-sqlite3$/, owner: /^(storage|bench)\/(.*\/)?sqlite-[^/]*\.ts$/ },
  { package: /^(fastify|@fastify\/.*)$/, owner: /^(server|bench)\// },
  { package: /^chevrotain$/, owner: /^parser\// },
  { package: /^(node:test|fast-check|supertest)$/, owner: /^(test|tools)\// },
]

const FOUNDATION =
  /^storage\/(answer|clock|randomness|renewed-map|slotted-set|errors|limits|invariant|measures|storage-log)\.ts$/

/** Inside storage each layer imports its own folder and the layers below it. */
const STORAGE_LAYERS: ReadonlyArray<ReadonlySet<string>> = [
  new Set(['foundation']),
  new Set(['cell-store']),
  new Set(['oracle']),
  new Set(['transaction']),
  new Set(['tables', 'feed']),
  new Set(['observers', 'history']),
  new Set(['garbage-collection']),
  new Set(['consistency']),
  new Set(['door']),
]

/** What is wrong with `from` importing `target` (a path of the tree, or a package); undefined if nothing. */
export function problemOfArrow(from: string, target: string, one: Import): string | undefined {
  const { specifier, typeOnly } = one
  const owner = PACKAGE_OWNERS.find((one) => one.package.test(specifier))
  if (owner !== undefined && !owner.owner.test(from)) return `it belongs to ${owner.owner}`
  const room = ROOMS[roomOf(from)]
  if (room === undefined) return undefined
  if (!specifier.startsWith('.')) {
    const own = specifier === '@percolite/client' ? 'client-sdk/client.ts' : undefined
    if (own !== undefined && room.doors.some((door) => door.path === own)) return undefined
    return room.packages.some((one) => one.test(specifier))
      ? undefined
      : `${roomOf(from)}/ may not use this package`
  }
  if (roomOf(target) === roomOf(from)) {
    return roomOf(from) === 'storage' ? problemOfStorageLayers(from, target) : undefined
  }
  const door = room.doors.find((one) => one.path === target)
  if (door === undefined) return `no arrow leads from ${roomOf(from)}/ there`
  if (door.typeOnly && !typeOnly) return 'only types may be taken from there'
  return undefined
}

function roomOf(path: string): string {
  return path.split('/')[0] as string
}

function problemOfStorageLayers(from: string, target: string): string | undefined {
  const fromFolder = storageFolderOf(from)
  const targetFolder = storageFolderOf(target)
  if (fromFolder === targetFolder) return undefined
  const fromLayer = STORAGE_LAYERS.findIndex((layer) => layer.has(fromFolder))
  const targetLayer = STORAGE_LAYERS.findIndex((layer) => layer.has(targetFolder))
  if (fromLayer < 0) return `storage/${fromFolder}/ has no place among the layers`
  if (targetLayer < 0) return `storage/${targetFolder}/ has no place among the layers`
  return targetLayer < fromLayer ? undefined : `${targetFolder} does not lie below ${fromFolder}`
}

function storageFolderOf(path: string): string {
  if (FOUNDATION.test(path)) return 'foundation'
  const parts = path.split('/')
  return parts.length === 2 ? 'door' : (parts[1] as string)
}

/** Every circle of imports is reported once, by the files on it. */
export function findCircles(files: readonly SourceFile[]): string[] {
  const targetsOf = new Map(
    files.map((file) => [
      file.path,
      file.imports
        .filter((one) => one.specifier.startsWith('.'))
        .map((one) => posix.join(posix.dirname(file.path), one.specifier)),
    ]),
  )
  const finished = new Set<string>()
  const circles: string[] = []
  const walk = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path)
    if (start >= 0) {
      circles.push(`import circle: ${[...trail.slice(start), path].join(' -> ')}`)
      return
    }
    if (finished.has(path)) return
    for (const target of targetsOf.get(path) ?? []) walk(target, [...trail, path])
    finished.add(path)
  }
  for (const path of targetsOf.keys()) walk(path, [])
  return circles
}
