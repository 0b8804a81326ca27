// SPDX-License-Identifier: Apache-2.0
import { readFile, writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import openapiTypescript, { astToString, type SchemaObject } from 'openapi-typescript'
import ts from 'typescript'
import { parse } from 'yaml'
import { scriptFlags } from './script-flags.ts'

const HELP = `npm run generate

Writes from openapi.yaml the SDK's wire types and the JSON that the server reads. With --check (npm run check:sdk) it
only compares, and fails when openapi.yaml was changed without generating again.`

const contract = new URL('../openapi.yaml', import.meta.url)

const HEADER = `// SPDX-License-Identifier: Apache-2.0
// Generated from openapi.yaml by \`npm run generate\`. Do not edit: \`npm run check\` compares.

`

const { values: flags } = scriptFlags(HELP, { check: { type: 'boolean', default: false } })
const json = parse(await readFile(contract, 'utf8'))
// The client knows bodies by the names of their schemas, and no more of an operation than its path.
const { openapi, info, components } = json
const schemas = { openapi, info, components: { schemas: components.schemas } }
const tree = await openapiTypescript(schemas, {
  immutable: true,
  // What has a default may be left out of a request.
  defaultNonNullable: false,
  transform: openEnum,
})
const generated = [
  [new URL('../client-sdk/schema.gen.ts', import.meta.url), HEADER + astToString(tree)],
  [new URL('../openapi.gen.json', import.meta.url), `${JSON.stringify(json, null, 1)}\n`],
] as const

for (const [file, text] of generated) {
  if (!flags.check) {
    await writeFile(file, text)
  } else if ((await readFile(file, 'utf8').catch(() => '')) !== text) {
    console.error(`${basename(file.pathname)} differs from openapi.yaml: run \`npm run generate\``)
    process.exitCode = 1
  }
}

/**
 * `anyOf: [{enum: […]}, {type: string}]` is a set that may grow. TypeScript would fold `'a' | string`
 * into `string`; written as `'a' | (string & {})` an editor still offers the members known today.
 */
function openEnum(schema: SchemaObject): ts.TypeNode | undefined {
  const [known, open, ...others] = schema.anyOf ?? []
  if (known === undefined || open === undefined || others.length > 0) return undefined
  if ('$ref' in known || '$ref' in open || known.enum === undefined) return undefined
  if (open.type !== 'string' || open.enum !== undefined) return undefined
  return ts.factory.createUnionTypeNode([
    ...known.enum.map((value) =>
      ts.factory.createLiteralTypeNode(ts.factory.createStringLiteral(String(value))),
    ),
    ts.factory.createIntersectionTypeNode([
      ts.factory.createKeywordTypeNode(ts.SyntaxKind.StringKeyword),
      ts.factory.createTypeLiteralNode([]),
    ]),
  ])
}
