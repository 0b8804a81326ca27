// SPDX-License-Identifier: Apache-2.0
import {
  AliasNode,
  AndNode,
  type BinaryOperationNode,
  CaseNode,
  type ColumnDefinitionNode,
  type CompiledQuery,
  DataTypeNode as DataType,
  type DataTypeNode,
  DefaultQueryCompiler,
  type DeleteQueryNode,
  type DropIndexNode,
  FunctionNode,
  type JoinNode,
  type OnConflictNode,
  type OperationNode,
  OperatorNode,
  type OrderByItemNode,
  ParensNode,
  type PrimaryKeyConstraintNode,
  type PrimitiveValueListNode,
  RawNode,
  type RootOperationNode,
  SelectionNode,
  SelectModifierNode,
  type SelectQueryNode,
  type UpdateQueryNode,
  type ValueNode,
  ValuesNode,
  WhenNode,
  WhereNode,
} from 'kysely'
import { columnTypeOf, isSerial } from './column-types.ts'
import { type Lookup, lookupOf } from './lookup-of-join.ts'
import { NotInDialectError, requireInDialect } from './refused-clauses.ts'

type QueryId = Parameters<DefaultQueryCompiler['compileQuery']>[1]

/** Writes statements of Kysely in the dialect. What it lacks is a NotInDialectError. */
export class StatementCompiler extends DefaultQueryCompiler {
  override compileQuery(node: RootOperationNode, queryId: QueryId): CompiledQuery {
    requireInDialect(node)
    return super.compileQuery(node, queryId)
  }

  /**
   * A SCAN, which finds rows by a full key as a GET does, and takes any other condition as well. Only a GET guards its
   * rows.
   */
  protected override visitSelectQuery(node: SelectQueryNode): void {
    const modifiers = [...(node.frontModifiers ?? []), ...(node.endModifiers ?? [])]
    const isGuarding = modifiers.some(({ modifier }) => modifier === 'ForUpdate')
    const isDistinct = modifiers.some(({ modifier }) => modifier === 'Distinct')
    if (isGuarding) requireGuarded(node, isDistinct)
    const lookups = (node.joins ?? []).map(lookupOf)
    this.#explain(node)
    this.append(isGuarding ? 'get' : isDistinct ? 'scan distinct' : 'scan')
    this.#list(node.selections ?? [])
    this.#clause(node.from)
    this.#hint(modifiers)
    for (const lookup of lookups) this.#lookup(lookup)
    const conditions = lookups.flatMap((lookup) => lookup.conditions)
    this.#clause(conditions.reduce<WhereNode | undefined>(withCondition, node.where))
    for (const clause of [node.groupBy, node.having, node.orderBy, node.limit]) this.#clause(clause)
    if (isGuarding) this.append(' for update')
    this.#ends(modifiers)
  }

  #lookup({ table, by, isOptional }: Lookup): void {
    this.append(' lookup ')
    this.visitNode(table)
    this.append(' by ')
    by.forEach(({ column, value }, at) => {
      if (at > 0) this.append(' and ')
      this.visitNode(column)
      this.append(' = ')
      this.visitNode(value)
    })
    if (isOptional) this.append(' optional')
  }

  protected override visitJoin(_: JoinNode): void {
    throw new NotInDialectError('JOIN here', 'a join belongs to a select')
  }

  /** A SET of several rows, since one by the full key alone would make the row where there is none. */
  protected override visitUpdateQuery(node: UpdateQueryNode): void {
    this.#explain(node)
    this.append('set')
    this.#list(node.updates ?? [])
    this.append(' on ')
    if (node.table) this.visitNode(node.table)
    this.#hint(node.endModifiers ?? [])
    this.append(' where ')
    if (node.where) {
      this.append('(')
      this.visitNode(node.where.where)
      this.append(') and ')
    }
    this.append('true')
    this.#clause(node.limit)
    this.#clause(node.returning)
    this.#ends(node.endModifiers ?? [])
  }

  protected override visitDeleteQuery(node: DeleteQueryNode): void {
    this.#explain(node)
    this.append('delete')
    this.#clause(node.from)
    this.#hint(node.endModifiers ?? [])
    for (const clause of [node.where, node.limit, node.returning]) this.#clause(clause)
    this.#ends(node.endModifiers ?? [])
  }

  protected override visitOnConflict(node: OnConflictNode): void {
    const { updateWhere, ...conflict } = node
    super.visitOnConflict(conflict)
    if (updateWhere === undefined) return
    this.append(' if ')
    this.visitNode(updateWhere.where)
  }

  #explain({ explain }: { readonly explain?: OperationNode }): void {
    if (explain === undefined) return
    this.visitNode(explain)
    this.append(' ')
  }

  #list(nodes: readonly OperationNode[]): void {
    this.append(' ')
    this.compileList(nodes)
  }

  #clause(node: OperationNode | undefined): void {
    if (node === undefined) return
    this.append(' ')
    this.visitNode(node)
  }

  /** `use index …` stands behind the table, wherever Kysely lets it be written. */
  #hint(modifiers: readonly OperationNode[]): void {
    for (const modifier of modifiers) if (isHint(modifier)) this.#clause(rawOf(modifier))
  }

  #ends(modifiers: readonly OperationNode[]): void {
    for (const modifier of modifiers) if (!isHint(modifier)) this.#clause(rawOf(modifier))
  }

  protected override getLeftExplainOptionsWrapper(): string {
    return ''
  }

  protected override getRightExplainOptionsWrapper(): string {
    return ''
  }

  protected override visitOrderByItem(node: OrderByItemNode): void {
    const { nulls: _, ...item } = node
    super.visitOrderByItem(item)
  }

  protected override visitBinaryOperation(node: BinaryOperationNode): void {
    const { operator } = node
    const word = OperatorNode.is(operator) ? operator.operator : undefined
    if (word !== 'ilike' && word !== 'not ilike') {
      super.visitBinaryOperation(node)
      return
    }
    this.append('lower(')
    this.visitNode(node.leftOperand)
    this.append(`) ${word.replace('ilike', 'like')} lower(`)
    this.visitNode(node.rightOperand)
    this.append(')')
  }

  protected override visitOperator(node: OperatorNode): void {
    this.append(node.operator === '==' ? '=' : node.operator)
  }

  /** A list of values is one parameter, so that the text is the same whatever its length. */
  protected override visitPrimitiveValueList(node: PrimitiveValueListNode): void {
    const { parentNode } = this
    if (parentNode !== undefined && ValuesNode.is(parentNode)) super.visitPrimitiveValueList(node)
    else this.appendValue(node.values)
  }

  /** A value whose type nothing tells is a literal; every other one is a parameter. */
  protected override visitValue(node: ValueNode): void {
    if (node.immediate || !this.#isUntyped(node) || !hasLiteral(node.value)) super.visitValue(node)
    else this.appendImmediateValue(node.value)
  }

  #isUntyped(node: ValueNode): boolean {
    const { parentNode } = this
    if (parentNode === undefined) return false
    if (WhenNode.is(parentNode)) return parentNode.result === node
    if (FunctionNode.is(parentNode)) {
      return /^(date_trunc|extract)$/i.test(parentNode.func) && parentNode.arguments[0] === node
    }
    return CaseNode.is(parentNode) || AliasNode.is(parentNode) || SelectionNode.is(parentNode)
  }

  protected override visitDataType(node: DataTypeNode): void {
    this.append(columnTypeOf(node.dataType))
  }

  protected override visitColumnDefinition(node: ColumnDefinitionNode): void {
    const { autoIncrement, dataType, ...column } = node
    if (!autoIncrement && !(DataType.is(dataType) && isSerial(dataType.dataType))) {
      super.visitColumnDefinition({ ...column, dataType })
      return
    }
    const counting = RawNode.createWithSql('integer generated by default as identity')
    super.visitColumnDefinition({ ...column, dataType: counting })
  }

  protected override visitPrimaryKeyConstraint({ columns }: PrimaryKeyConstraintNode): void {
    this.append('primary key')
    this.append(' (')
    this.compileList(columns)
    this.append(')')
  }

  protected override visitDropIndex({ table: _, ...node }: DropIndexNode): void {
    super.visitDropIndex(node)
  }
}

/** What reads rows by their keys has nothing but these. Throws NotInDialectError. */
function requireGuarded(node: SelectQueryNode, isDistinct: boolean): void {
  const { groupBy, having, orderBy, limit, joins } = node
  if (!isDistinct && (groupBy ?? having ?? orderBy ?? limit ?? joins) === undefined) return
  throw new NotInDialectError(
    'FOR UPDATE with other clauses',
    'read the keys first, then the rows with where("id", "in", keys).forUpdate()',
  )
}

function withCondition(where: WhereNode | undefined, condition: OperationNode): WhereNode {
  const added = ParensNode.create(condition)
  if (where === undefined) return WhereNode.create(added)
  return WhereNode.create(AndNode.create(ParensNode.create(where.where), added))
}

function rawOf(modifier: OperationNode): OperationNode | undefined {
  return SelectModifierNode.is(modifier) ? modifier.rawModifier : modifier
}

function isHint(modifier: OperationNode): boolean {
  const raw = rawOf(modifier)
  return raw !== undefined && RawNode.is(raw) && /^\s*use\b/i.test(raw.sqlFragments[0] ?? '')
}

function hasLiteral(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value) && !String(value).includes('e')
  return value === null || ['string', 'boolean', 'bigint'].includes(typeof value)
}
