// SPDX-License-Identifier: Apache-2.0
import type { OperationNode } from 'kysely'

/** A clause of SQL that the language of Percolite lacks. Nothing was sent. */
export class NotInDialectError extends Error {
  override readonly name = 'NotInDialectError'
  /** As SQL calls it: `OFFSET`. */
  readonly clause: string
  /** What comes nearest. */
  readonly remedy: string

  constructor(clause: string, remedy: string) {
    super(`${clause} is not in the dialect of Percolite: ${remedy}.`)
    this.clause = clause
    this.remedy = remedy
  }
}

type Refusal = readonly [clause: string, remedy: string]

/** Nothing to refuse is anything that is not true. */
type Rule = (fields: Fields) => Refusal | false | undefined

// biome-ignore lint/suspicious/noExplicitAny: a rule looks at the fields of its own kind of node.
type Fields = Readonly<Record<string, any>>

const BY_KEYS = 'read the inner rows first, and give their values to where(column, "in", values)'
const ONE_TABLE = 'read the other rows first, and write by their keys in the same transaction'
const CONFLICT = 'insertInto(…).onConflict((c) => c.column("id").doUpdateSet(…)) or doNothing()'
const CHECKED = 'in the transaction that writes, read the other row with forUpdate()'
const TEXT_IN_PROGRAM = 'keep the statement in the program'

/** Kinds of nodes that are refused wherever they stand. */
const KINDS: Readonly<Record<string, Refusal>> = {
  WithNode: ['WITH', BY_KEYS],
  OverNode: ['OVER', 'orderBy with limit, or groupBy; count in the program'],
  OffsetNode: ['OFFSET', 'where("id", ">", last).orderBy("id").limit(n), behind the last row'],
  FetchNode: ['FETCH', 'limit(n)'],
  TopNode: ['TOP', 'limit(n)'],
  UsingNode: ['USING', ONE_TABLE],
  MergeQueryNode: ['MERGE', CONFLICT],
  OutputNode: ['OUTPUT', 'returning(…)'],
  OrActionNode: ['INSERT OR …', CONFLICT],
  OnDuplicateKeyNode: ['ON DUPLICATE KEY UPDATE', CONFLICT],
  DefaultInsertValueNode: ['DEFAULT among VALUES', 'give each row the same columns'],
  CollateNode: ['COLLATE', 'texts are ordered by code points; keep another form in a column'],
  JSONPathNode: ['A path of JSON with $', 'eb.ref("meta", "->>").key("city")'],
  ReferencesNode: ['REFERENCES', CHECKED],
  ForeignKeyConstraintNode: ['FOREIGN KEY', CHECKED],
  CreateViewNode: ['CREATE VIEW', TEXT_IN_PROGRAM],
  DropViewNode: ['DROP VIEW', TEXT_IN_PROGRAM],
  RefreshMaterializedViewNode: ['REFRESH MATERIALIZED VIEW', 'an observer keeps such a table'],
  CreateSchemaNode: ['CREATE SCHEMA', 'a prefix in the names of the tables'],
  DropSchemaNode: ['DROP SCHEMA', 'drop its tables'],
  CreateTypeNode: ['CREATE TYPE', "a CHECK: col.check(sql`state in ('open', 'done')`)"],
  DropTypeNode: ['DROP TYPE', 'a CHECK of the column'],
  AlterTypeNode: ['ALTER TYPE', 'a CHECK of the column'],
  ModifyColumnNode: ['MODIFY COLUMN', 'alterColumn, or another column'],
  RenameConstraintNode: ['RENAME CONSTRAINT', 'drop it, and add it again'],
  AddIndexNode: ['INDEX in a table', 'createIndex(name).on(table).columns(…)'],
}

/** What is refused of kinds that are there otherwise. */
const RULES: Readonly<Record<string, Rule>> = {
  SelectQueryNode: ({ distinctOn, from }) =>
    distinctOn !== undefined
      ? ['DISTINCT ON', 'groupBy with max, or a statement with limit(1) for each']
      : from === undefined
        ? ['SELECT without FROM', 'compute it in the program']
        : undefined,
  SetOperationNode: ({ operator }) => [
    operator.toUpperCase(),
    'two statements of one transaction read the same snapshot',
  ],
  FromNode: ({ froms }) =>
    froms.length > 1 ? ['FROM of several tables', 'innerJoin by the key of the other'] : undefined,
  JoinNode: ({ joinType }) =>
    ['InnerJoin', 'LeftJoin'].includes(joinType)
      ? undefined
      : [spaced(joinType), 'innerJoin or leftJoin by the full key of the other table'],
  InsertQueryNode: ({ defaultValues, replace, values }) =>
    defaultValues
      ? ['DEFAULT VALUES', 'name at least one column: values({ id: sql`uuid()` })']
      : replace
        ? ['REPLACE', CONFLICT]
        : values?.kind === 'SelectQueryNode'
          ? ['INSERT … SELECT', 'read the rows, then values(rows)']
          : undefined,
  UpdateQueryNode: ({ from, joins, orderBy, table }) =>
    from !== undefined || joins !== undefined || table?.kind === 'ListNode'
      ? ['UPDATE … FROM', ONE_TABLE]
      : writes(table, orderBy),
  DeleteQueryNode: ({ from, joins, orderBy }) =>
    joins === undefined ? writes(from.froms[0], orderBy) : ['DELETE with JOIN', ONE_TABLE],
  OnConflictNode: ({ constraint, indexWhere }) =>
    constraint !== undefined
      ? ['ON CONFLICT ON CONSTRAINT', 'columns(…) of the primary key or of a unique index']
      : indexWhere && ['ON CONFLICT … WHERE', 'every index holds every row: leave it out'],
  SchemableIdentifierNode: ({ schema }) => schema && ['A schema', "a prefix in the table's name"],
  OperatorNode: ({ operator }) => operatorRefusal(operator),
  OrderByItemNode: ({ nulls, direction }) => nullsOf(nulls, direction),
  AggregateFunctionNode: ({ orderBy, withinGroup }) =>
    (orderBy ?? withinGroup) && ['ORDER BY in an aggregate', 'order the rows, and fold them'],
  SelectModifierNode: ({ modifier, of }) =>
    of === undefined && [undefined, 'Distinct', 'ForUpdate'].includes(modifier)
      ? undefined
      : [of ? 'FOR … OF' : spaced(modifier), 'forUpdate(), which blocks nobody'],
  ExplainNode: ({ format }) =>
    format && ['A format of EXPLAIN', 'explain() has the plan as text and as JSON'],
  CreateTableNode: ({ temporary, onCommit, selectQuery }) =>
    (temporary || onCommit || selectQuery) && [
      'TEMPORARY or AS',
      'a table like others, then values',
    ],
  ColumnDefinitionNode: ({ identity, unsigned, nullsNotDistinct }) =>
    identity
      ? ['IDENTITY of this form', 'col.generatedByDefaultAsIdentity()']
      : unsigned
        ? ['UNSIGNED', 'col.check(sql`n >= 0`)']
        : nullsNotDistinct && NULLS_DISTINCT,
  UniqueConstraintNode: ({ nullsNotDistinct }) => nullsNotDistinct && NULLS_DISTINCT,
  GeneratedNode: ({ expression }) =>
    expression && ['A computed column', 'write its value with the others'],
  CreateIndexNode: ({ using, where, nullsNotDistinct }) =>
    using
      ? ['USING', 'leave it out: every index is ordered']
      : where
        ? ['An index with WHERE', 'let the index begin with that column']
        : nullsNotDistinct && NULLS_DISTINCT,
  AlterTableNode: ({ setSchema, columnAlterations }) =>
    setSchema
      ? ['A schema', "a prefix in the table's name"]
      : columnAlterations?.length > 1 && [
          'ALTER TABLE of several changes',
          'one statement for each',
        ],
  AlterColumnNode: ({ dataType }) =>
    dataType && ['ALTER COLUMN … TYPE', 'add a column, fill it, and drop the old one'],
  AddConstraintNode: ({ constraint }) =>
    constraint.kind === 'CheckConstraintNode'
      ? undefined
      : ['ADD CONSTRAINT', 'createIndex(name).unique() for unique columns'],
  DropTableNode: ({ cascade, temporary }) =>
    (cascade || temporary) && ['CASCADE or TEMPORARY', 'nothing hangs on a table: leave it out'],
  DropIndexNode: ({ cascade }) => cascade && ['CASCADE', 'nothing hangs on an index: leave it out'],
}

const NULLS_DISTINCT: Refusal = ['NULLS NOT DISTINCT', 'a column that is NOT NULL']

const OPERATORS: ReadonlySet<string> = new Set([
  ...['=', '==', '!=', '<>', '<', '<=', '>', '>=', 'in', 'not in', 'is', 'is not', 'between'],
  ...['like', 'not like', 'ilike', 'not ilike', 'match', '+', '-', '*', '/', '%', '||'],
  ...['@>', '?', '->', '->>', 'not'],
])

/** Throws NotInDialectError for the first clause of a statement that the dialect lacks. */
export function requireInDialect(root: OperationNode): void {
  look(root, root)
}

function look(node: OperationNode, root: OperationNode): void {
  const refusal =
    KINDS[node.kind] ?? RULES[node.kind]?.(node) ?? (node === root ? undefined : innerOf(node))
  if (refusal) throw new NotInDialectError(...refusal)
  // What a program gives as a value may look like anything.
  if (/^(Value|PrimitiveValueList)Node$/.test(node.kind)) return
  for (const field of Object.values(node)) {
    for (const each of Array.isArray(field) ? field : [field]) if (isNode(each)) look(each, root)
  }
}

function isNode(value: unknown): value is OperationNode {
  return typeof value === 'object' && value !== null && 'kind' in value
}

/** A statement inside of another one. */
function innerOf({ kind }: OperationNode): Refusal | undefined {
  return /^(Select|Insert|Update|Delete)QueryNode$/.test(kind) ? ['A subquery', BY_KEYS] : undefined
}

function writes(table: Fields | undefined, orderBy: unknown): Refusal | undefined {
  if (table?.kind === 'AliasNode') return ['An alias of what is written', 'the name of the table']
  if (orderBy === undefined) return undefined
  return ['ORDER BY of what is written', 'read the keys in that order, and write by them']
}

function nullsOf(nulls: string | undefined, direction: Fields | undefined): Refusal | undefined {
  const isDescending = /desc/i.test(direction?.sqlFragments?.[0] ?? 'asc')
  if (nulls === undefined || nulls === (isDescending ? 'last' : 'first')) return undefined
  return [`NULLS ${nulls.toUpperCase()}`, 'NULL comes first ascending, and last descending']
}

function operatorRefusal(operator: string): Refusal | undefined {
  if (OPERATORS.has(operator)) return undefined
  if (operator.endsWith('exists')) return [operator.toUpperCase(), BY_KEYS]
  const remedy = operator.startsWith('is ')
    ? '"=" beside "is null"'
    : operator === '<@'
      ? '"@>", with its sides exchanged'
      : '"like", "match" (words), "@>" and "?" are there'
  return [`The operator "${operator}"`, remedy]
}

/** `LateralLeftJoin` -> `LATERAL LEFT JOIN`. */
function spaced(name: string): string {
  return name.replace(/(?!^)([A-Z])/g, ' $1').toUpperCase()
}
