// SPDX-License-Identifier: Apache-2.0
import { readPackageFile } from '../../../package-files.ts'
import { type OpenApiDocument, readOpenApiDocument } from './document.ts'
import { SchemaValidator } from './validator.ts'

/** The document and what checks values against it. Neither ever changes, so servers may share it. */
export type Contract = {
  readonly document: OpenApiDocument
  readonly validator: SchemaValidator
}

/**
 * Reads the contract from `openapi.gen.json`, which `npm run generate` makes of `openapi.yaml`: to parse that takes
 * nine times as long. Throws where the contract is not of the shape that this server understands.
 */
export function loadContract(): Contract {
  const document = readOpenApiDocument(JSON.parse(readPackageFile('openapi.gen.json')))
  return { document, validator: new SchemaValidator(document.json) }
}
