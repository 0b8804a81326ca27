// SPDX-License-Identifier: Apache-2.0
import { readPackageFile } from '../../package-files.ts'
import { type OpenApiDocument, readOpenApiDocument } from './document.ts'
import { SchemaValidator } from './validator.ts'

/** The document and what checks values against it. Neither ever changes, so servers may share it. */
export type Contract = {
  readonly document: OpenApiDocument
  readonly validator: SchemaValidator
}

/** Reads `openapi.yaml`; throws where it is not of the shape that this server understands. */
export function loadContract(): Contract {
  const document = readOpenApiDocument(readPackageFile('openapi.yaml'))
  return { document, validator: new SchemaValidator(document.json) }
}
