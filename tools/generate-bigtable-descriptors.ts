// SPDX-License-Identifier: Apache-2.0
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import protobuf from 'protobufjs'
import { endMisused, scriptFlags } from './script-flags.ts'

const HELP = `node tools/generate-bigtable-descriptors.ts --protos DIR [--check]

Writes bigtable-descriptors.json: the calls and messages of Bigtable that the engine uses, cut out of Google's public
.proto files. DIR is the npm package google-proto-files, which only this needs.

  --check  write nothing, and fail when the file is not what would be written`

export const DESCRIPTORS_FILE = fileURLToPath(
  new URL('../engines/bigtable/bigtable-descriptors.json', import.meta.url),
)

/** The calls that are used, by their service. */
const CALLS: Readonly<Record<string, readonly string[]>> = {
  'google.bigtable.v2.Bigtable': [
    ...['ReadRows', 'SampleRowKeys', 'MutateRow', 'MutateRows', 'CheckAndMutateRow'],
    ...['ReadModifyWriteRow', 'PingAndWarm'],
  ],
  'google.bigtable.admin.v2.BigtableTableAdmin': [
    ...['CreateTable', 'GetTable', 'ModifyColumnFamilies'],
  ],
}
/** Fields that are left out, with all that only they lead to. */
const LEFT_OUT: Readonly<Record<string, readonly string[]>> = {
  'google.bigtable.v2.Mutation': ['addToCell', 'mergeToCell'],
  'google.bigtable.v2.MutateRowRequest': ['idempotency'],
  'google.bigtable.v2.MutateRowsRequest.Entry': ['idempotency'],
  'google.bigtable.v2.ReadRowsRequest': ['requestStatsView'],
  'google.bigtable.v2.ReadRowsResponse': ['requestStats'],
  'google.bigtable.admin.v2.Table': [
    ...['clusterStates', 'restoreInfo', 'changeStreamConfig', 'automatedBackupPolicy'],
    ...['tieredStorageConfig', 'rowKeySchema'],
  ],
  'google.bigtable.admin.v2.ColumnFamily': ['stats', 'valueType'],
}

type Json = { [name: string]: unknown; nested?: Record<string, Json> }

/** What of the files in `protos` the engine uses, in the form of protobufjs. */
export function descriptorsFrom(protos: string): Json {
  const root = new protobuf.Root()
  root.resolvePath = (_origin, target) => join(protos, target)
  for (const name of ['v2/bigtable', 'admin/v2/bigtable_table_admin']) {
    root.loadSync(`google/bigtable/${name}.proto`)
  }
  root.resolveAll()
  const kept = new Set<protobuf.ReflectionObject>()
  for (const [service, names] of Object.entries(CALLS)) {
    const found = root.lookupService(service)
    for (const method of found.methodsArray) {
      if (!names.includes(method.name)) found.remove(method)
    }
    kept.add(found)
    for (const method of found.methodsArray) {
      keep(method.resolvedRequestType, kept)
      keep(method.resolvedResponseType, kept)
    }
  }
  return { nested: keptOf(root, kept).nested ?? {} }
}

function keep(type: protobuf.ReflectionObject | null, kept: Set<protobuf.ReflectionObject>): void {
  if (type === null || kept.has(type)) return
  kept.add(type)
  if (!(type instanceof protobuf.Type)) return
  const leftOut = LEFT_OUT[type.fullName.slice(1)] ?? []
  for (const field of type.fieldsArray) {
    if (leftOut.includes(field.name)) type.remove(field)
    else keep(field.resolvedType, kept)
  }
}

/** The objects that are kept and those that hold them, without options and comments. */
function keptOf(object: protobuf.NamespaceBase, kept: Set<protobuf.ReflectionObject>): Json {
  const nested: Record<string, Json> = {}
  for (const child of object.nestedArray) {
    if (child instanceof protobuf.Enum && kept.has(child)) nested[child.name] = plain(child)
    if (!(child instanceof protobuf.Namespace)) continue
    const inner = keptOf(child, kept)
    const own = kept.has(child) ? plain(child) : {}
    if (kept.has(child) || inner.nested !== undefined) nested[child.name] = { ...own, ...inner }
  }
  return Object.keys(nested).length === 0 ? {} : { nested }
}

function plain(object: protobuf.ReflectionObject): Json {
  const { nested: _, options: __, ...own } = object.toJSON() as Json
  for (const part of ['fields', 'methods']) {
    const members = own[part] as Record<string, Record<string, unknown>> | undefined
    for (const member of Object.values(members ?? {})) {
      delete member.options
      delete member.parsedOptions
    }
  }
  return own
}

function plainJson(value: Json): unknown {
  return JSON.parse(JSON.stringify(value))
}

if (import.meta.main) {
  const { values } = scriptFlags(HELP, { protos: { type: 'string' }, check: { type: 'boolean' } })
  const { protos } = values
  if (protos === undefined || !existsSync(join(protos, 'google/bigtable/v2'))) {
    endMisused(HELP, 'Name the folder of google-proto-files: --protos DIR.')
  }
  const made = descriptorsFrom(protos)
  if (values.check !== true) writeFileSync(DESCRIPTORS_FILE, `${JSON.stringify(made, null, 2)}\n`)
  else if (
    !isDeepStrictEqual(JSON.parse(readFileSync(DESCRIPTORS_FILE, 'utf8')), plainJson(made))
  ) {
    console.error('bigtable-descriptors.json is not what the .proto files say: make it anew.')
    process.exit(1)
  }
}
