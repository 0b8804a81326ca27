// SPDX-License-Identifier: Apache-2.0

/**
 * The types of the concrete syntax tree follow from the grammar. After a change of the grammar:
 * `node tools/generate-grammar-cst.ts`. A test keeps the file and the grammar equal.
 */

import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { generateCstDts } from 'chevrotain'
import { Grammar } from '../parser/grammar/grammar.ts'

export const GENERATED_FILE = fileURLToPath(
  new URL('../parser/grammar/grammar-cst.gen.ts', import.meta.url),
)

export function grammarCstTypes(grammar: Grammar): string {
  const notice = '// SPDX-License-Identifier: Apache-2.0\n// Made by generate-grammar-cst.ts.\n\n'
  const types = generateCstDts(grammar.getGAstProductions(), { includeVisitorInterface: false })
  return notice + types.replace('CstNode, ICstVisitor, IToken', 'CstNode, IToken')
}

if (import.meta.main) {
  writeFileSync(GENERATED_FILE, grammarCstTypes(new Grammar({ skipValidations: false })))
}
