// SPDX-License-Identifier: Apache-2.0
import { readFile, writeFile } from 'node:fs/promises'
import openapiTypescript, { astToString, type SchemaObject } from 'openapi-typescript'
import ts from 'typescript'
import { scriptFlags } from './script-flags.ts'

const HELP = `npm run generate

Writes the SDK's wire types from the contract. With --check (npm run check:sdk) it only compares, and fails when
openapi.yaml was changed without generating again.`

const contract = new URL('../openapi.yaml', import.meta.url)
const generated = new URL('../client-sdk/schema.gen.ts', import.meta.url)

const HEADER = `// SPDX-License-Identifier: Apache-2.0
// Generated from openapi.yaml by \`npm run generate\`. Do not edit: \`npm run check\` compares.

`

const { values: flags } = scriptFlags(HELP, { check: { type: 'boolean', default: false } })
const tree = await openapiTypescript(contract, {
  immutable: true,
  // What has a default may be left out of a request.
  defaultNonNullable: false,
  transform: openEnum,
})
const schema = HEADER + astToString(tree)

if (!flags.check) {
  await writeFile(generated, schema)
} else if ((await readFile(generated, 'utf8').catch(() => '')) !== schema) {
  console.error('client-sdk/schema.gen.ts differs from openapi.yaml: run `npm run generate`')
  process.exitCode = 1
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
