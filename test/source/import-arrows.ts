// SPDX-License-Identifier: Apache-2.0
import { posix } from 'node:path'
import { ORDERS, type Step } from './room-orders.ts'
import type { Import, SourceFile } from './source-file.ts'

// The arrows between the rooms, and the order inside them, as `docs/architecture.md` draws them.
// Imports of types count like all others.

type Target = { readonly path: string; readonly typeOnly?: true }

type Room = {
  /** What of other rooms may be imported: a room's door, or a file of which only types are taken. */
  readonly doors: readonly Target[]
  readonly packages: readonly RegExp[]
}

const NODE_BUILTIN = /^node:/

/** That of storage, and those of its rooms. */
const STORAGE_DOORS: readonly Target[] = [
  'storage/storage.ts',
  'storage/values/values.ts',
  'storage/tables/tables.ts',
  'storage/tables/access/access.ts',
  'storage/operations/operations.ts',
].map((path) => ({ path }))

const ROOMS: Readonly<Record<string, Room>> = {
  parser: { doors: [], packages: [/^chevrotain$/] },
  planner: {
    doors: [
      { path: 'parser/ast.ts', typeOnly: true },
      { path: 'parser/expression-parts.ts' },
      { path: 'parser/completion/shown-name.ts' },
      { path: 'parser/syntax-error/foreign-functions.ts' },
      ...STORAGE_DOORS,
    ],
    packages: [NODE_BUILTIN, /^croner$/],
  },
  storage: { doors: [], packages: [NODE_BUILTIN, /^better-sqlite3$/] },
  // The contract of a cell store, and what engines share that evaluate it themselves.
  engines: {
    doors: [
      ...['cell', 'cell-order', 'cell-store', 'checked-cell-store', 'mutation'],
      ...['mutation-application', 'row-filter', 'row-filter-evaluation', 'row-key'],
    ]
      .map((name) => ({ path: `storage/cells/${name}.ts` }))
      .concat([{ path: 'storage/invariant.ts' }, { path: 'storage/limits.ts' }]),
    packages: [NODE_BUILTIN, /^@grpc\//, /^google-auth-library$/, /^protobufjs$/],
  },
  server: {
    doors: [
      { path: 'parser/parser.ts' },
      { path: 'parser/ast.ts', typeOnly: true },
      { path: 'planner/planner.ts' },
      ...STORAGE_DOORS,
      { path: 'engines/bigtable/bigtable-engine.ts' },
      { path: 'engines/etcd/etcd-engine.ts' },
    ],
    packages: [NODE_BUILTIN, /./],
  },
  'client-sdk': { doors: [], packages: [/^@tanstack\/db$/, /^kysely$/, /^react$/] },
  // A page in a browser, which is one more client.
  console: {
    doors: [{ path: 'client-sdk/client.ts' }, { path: 'client-sdk/inspect.ts' }],
    packages: [
      ...[/^preact(\/|$)/, /^@codemirror\//, /^@lezer\/highlight$/, /^uplot$/],
      /^csv-parse\/browser\/esm\/sync$/,
    ],
  },
  // A server and its configuration, and stores that no server uses.
  cli: {
    doors: [
      ...[
        'server',
        'standby-server',
        'config',
        'config-values',
        'operations/checks/consistency-answer',
        'flags',
        'testing',
      ],
      ...[
        'usage-error',
        'guard/access/hashed-text',
        'operations/engines/engine-config',
        'operations/engines/open-engine',
      ],
      ...[
        'operations/backups/backups',
        'operations/move/move-target',
        'operations/move/moves',
        'live/observers/observer-module',
        'requests/answers/csv-field',
      ],
      ...[
        'requests/answers/error-text',
        'requests/answers/table-text',
        'requests/answers/terminal-text',
        'package-files',
        'live/observers/define-observer',
      ],
    ]
      .map((name) => ({ path: `server/${name}.ts` }))
      .concat(
        [
          ...['client-sdk/client.ts', 'client-sdk/for-all.ts'],
          'parser/parser.ts',
          'planner/planner.ts',
        ].map((path) => ({ path })),
        ...STORAGE_DOORS,
      ),
    packages: [
      NODE_BUILTIN,
      /^pino(-pretty)?$/,
      /^csv-parse$/,
      /^@modelcontextprotocol\/server(\/|$)/,
    ],
  },
  // Observers are written with one file of the server, which imports nothing.
  examples: {
    doors: [{ path: 'client-sdk/client.ts' }, { path: 'server/live/observers/define-observer.ts' }],
    packages: [NODE_BUILTIN, /^jose$/, /^standardwebhooks$/],
  },
  // Beside the door, what transactions and timestamps are measured against, on this machine and over the network, and
  // how notifications are found. The server is a process, which loads observers, whose observers also run elsewhere.
  // The pages of an example are clustered.
  bench: {
    doors: [
      { path: 'examples/web-index/pages/document.ts' },
      { path: 'examples/web-index/pages/synthetic-web.ts' },
      { path: 'client-sdk/client.ts' },
      { path: 'server/live/observers/define-observer.ts' },
      ...STORAGE_DOORS,
      { path: 'engines/bigtable/bigtable-engine.ts' },
      { path: 'engines/etcd/etcd-engine.ts' },
      { path: 'storage/cells/sqlite/sqlite-cell-store.ts' },
      { path: 'storage/cells/memory/memory-cell-store.ts' },
      { path: 'storage/cells/cell.ts', typeOnly: true },
      { path: 'storage/cells/cell-store.ts', typeOnly: true },
      { path: 'storage/cells/row-filter.ts', typeOnly: true },
      { path: 'storage/observers/notifications/notification-scanner.ts' },
      { path: 'storage/transactions/oracle/embedded-oracle.ts' },
      { path: 'storage/transactions/oracle/shared-oracle.ts' },
      { path: 'storage/transactions/oracle/timestamp-oracle.ts', typeOnly: true },
      { path: 'storage/transactions/records/notify-cell.ts' },
    ],
    packages: [NODE_BUILTIN, /./],
  },
}

/** Packages that one room or kind of file keeps to itself. */
const PACKAGE_OWNERS: ReadonlyArray<{ readonly package: RegExp; readonly owner: RegExp }> = [
  {
    package: /^better-sqlite3$/,
    owner: /^(storage\/cells\/sqlite\/|bench\/(.*\/)?sqlite-[^/]*\.ts$)/,
  },
  { package: /^(fastify|@fastify\/.*)$/, owner: /^(server|bench)\// },
  { package: /^chevrotain$/, owner: /^parser\// },
  { package: /^@grpc\//, owner: /^engines\/network\// },
  { package: /^csv-parse$/, owner: /^cli\/transfer\// },
  { package: /^csv-parse\/browser\//, owner: /^console\/tables\/csv\// },
  { package: /^@modelcontextprotocol\//, owner: /^(cli\/mcp|test)\// },
  { package: /^preact(\/|$)/, owner: /^console\// },
  { package: /^@(codemirror|lezer)\//, owner: /^console\/query\// },
  { package: /^uplot$/, owner: /^console\/page\// },
  { package: /^kysely$/, owner: /^client-sdk\/kysely\// },
  { package: /^react$/, owner: /^client-sdk\/react\// },
  { package: /^@tanstack\//, owner: /^(client-sdk\/tanstack-db|test)\// },
  { package: /^(node:test|fast-check|supertest)$/, owner: /^(test|tools)\// },
]

/** Folders that have doors, files of which the rest of the room may know; all else in them is private. */
const DOORS: Readonly<Record<string, readonly string[]>> = {
  'storage/cells/sqlite/redo': ['redo.ts', 'redo-thread.ts'],
}

/** Folders that may know less of other rooms than their room does. */
const NARROWER: Readonly<Record<string, readonly string[]>> = {
  // It works with any server, and never with a folder.
  'cli/shell': ['client-sdk/client.ts'],
  'cli/mcp': [
    'client-sdk/client.ts',
    ...['server/config-values.ts', 'server/package-files.ts', 'server/usage-error.ts'],
  ],
}

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
  if (roomOf(target) === roomOf(from)) return problemOfOrder(from, target)
  const door = room.doors.find((one) => one.path === target)
  if (door === undefined) return `no arrow leads from ${roomOf(from)}/ there`
  if (door.typeOnly && !typeOnly) return 'only types may be taken from there'
  for (const [folder, targets] of Object.entries(NARROWER)) {
    if (!from.startsWith(`${folder}/`) || targets.includes(target)) continue
    return `of other rooms ${folder}/ knows ${targets.join(', ')} only`
  }
  return undefined
}

function roomOf(path: string): string {
  return path.split('/')[0] as string
}

/** What is wrong by the doors of folders, and by the orders of those that both files are in. */
function problemOfOrder(from: string, target: string): string | undefined {
  for (const [folder, doors] of Object.entries(DOORS)) {
    if (from.startsWith(`${folder}/`) || !target.startsWith(`${folder}/`)) continue
    if (!doors.includes(target.slice(folder.length + 1))) return `it is no door of ${folder}/`
  }
  for (const [folder, steps] of Object.entries(ORDERS)) {
    if (!from.startsWith(`${folder}/`) || !target.startsWith(`${folder}/`)) continue
    const own = placeIn(folder, steps, from)
    const other = placeIn(folder, steps, target)
    const lost = [own, other].find(({ step }) => step < 0)
    if (lost !== undefined) return `${lost.name} has no place in the order of ${folder}/`
    const isSame =
      own.name === other.name || (own.isFile && other.isFile && own.step === other.step)
    if (!isSame && other.step >= own.step) return `${other.name} does not lie below ${own.name}`
  }
  return undefined
}

type Place = { readonly name: string; readonly step: number; readonly isFile: boolean }

/**
 * Where a file stands in the order of a folder that it is somewhere in: by the longest name that
 * the order has for it.
 */
function placeIn(folder: string, steps: readonly Step[], path: string): Place {
  const rest = path.slice(folder.length + 1)
  const [name] = steps
    .flat()
    .filter((one) => one === rest || (one.endsWith('/') && rest.startsWith(one)))
    .toSorted((a, b) => b.length - a.length)
  const isFile = name === undefined ? !rest.includes('/') : name === rest
  const entry = name ?? (isFile ? '*' : undefined)
  const step = steps.findIndex((one) => entry !== undefined && one.includes(entry))
  const shown = name ?? (isFile ? rest : rest.slice(0, rest.indexOf('/') + 1))
  return { name: shown.replace(/\/$/, ''), step, isFile }
}

/** Every circle of imports is reported once, by the files on it. */
export function findCircles(files: readonly SourceFile[]): string[] {
  const targetsIn = ({ path, imports }: SourceFile) =>
    imports
      .filter(({ specifier }) => specifier.startsWith('.'))
      .map(({ specifier }) => posix.join(posix.dirname(path), specifier))
  const targetsOf = new Map(files.map((file) => [file.path, targetsIn(file)]))
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
