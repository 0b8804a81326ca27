// SPDX-License-Identifier: Apache-2.0
import type { Documents, DocumentsOrder } from './documents.ts'
import { SyntheticDocuments } from './synthetic-documents.ts'
import { WebDocuments } from './web-documents.ts'

export function makeDocuments(order: DocumentsOrder): Documents {
  return order.kind === 'synthetic' ? new SyntheticDocuments(order) : new WebDocuments(order)
}
