// SPDX-License-Identifier: Apache-2.0
import { preview } from '../preview.ts'
import { SQL_SCHEMA, type Tool } from '../tool.ts'

export const EXPLAIN: Tool = {
  name: 'explain',
  title: 'Plan of a text',
  description:
    'What each statement of a text would read and write: the key that it walks, its bounds, and why other keys were not taken. Nothing is run, and parameters need no values.',
  schema: {
    type: 'object',
    additionalProperties: false,
    required: ['sql'],
    properties: { sql: { ...SQL_SCHEMA, description: 'Statements, separated by ;' } },
  },
  writes: false,
  async run({ db, given, signal }) {
    const { statements, text } = await preview(db, given.sql as string, signal)
    return { content: { statements }, text }
  },
}
