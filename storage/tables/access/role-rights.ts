// SPDX-License-Identifier: Apache-2.0
import { type Catalog, createCatalog } from '../catalog/catalog.ts'
import type { Rights, RuledBy, ServerRight } from '../rights.ts'
import type { RowRule, TableDefinition, TableGrant, TableRight } from '../table-definition.ts'
import { type AccessRole, isOfImpersonation, mayOnServer } from './access-roles.ts'

/**
 * The rights of a role as they are now, on tables as they are at any moment: those that a table grants are told by its
 * id, so a table that bore its name before has its own, and one that there is no more grants nothing.
 */
export class RoleRights implements Rights {
  readonly role: string
  readonly isImpersonated: boolean
  /** Whether it may do nothing at all. */
  readonly isEmpty: boolean
  readonly #server: readonly ServerRight[]
  readonly #allTables: ReadonlySet<TableRight>
  readonly #byTable: ReadonlyMap<number, readonly TableGrant[]>
  #ruledBy: RuledBy | undefined
  /** By what they show the tables of. */
  readonly #views = new WeakMap<Catalog, Catalog>()

  /** `newest` has the grants that count. */
  constructor({ name, server, allTables }: AccessRole, newest: Catalog, isImpersonated = false) {
    this.role = name
    this.isImpersonated = isImpersonated
    this.#server = server
    this.#allTables = new Set(allTables)
    this.#byTable = new Map(
      newest.tables().map(({ id, grants }) => [id, grants.filter(({ role }) => role === name)]),
    )
    const onTables = [...this.#byTable.values()].flat()
    this.isEmpty = server.length + allTables.length + onTables.length === 0
  }

  may(right: ServerRight): boolean {
    return this.#keeps(right) && mayOnServer(this.#server, right)
  }

  /** A table that there is no more can be read by those who may inspect the store. */
  mayOn({ id }: TableDefinition, right: TableRight): boolean {
    if (!this.#keeps(right)) return false
    if (this.#isAdmin) return true
    const grants = this.#byTable.get(id)
    if (grants === undefined) return this.#allTables.has(right) && this.may('inspect')
    return this.#allTables.has(right) || grants.some((grant) => grant.right === right)
  }

  rulesOn({ id }: Pick<TableDefinition, 'id'>, right: TableRight): readonly RowRule[] | undefined {
    if (this.#isAdmin || this.#allTables.has(right)) return undefined
    const grants = this.#byTable.get(id)?.filter((grant) => grant.right === right) ?? []
    const rules = grants.flatMap(({ rule }) => rule ?? [])
    return rules.length < grants.length || rules.length === 0 ? undefined : rules
  }

  get ruledBy(): RuledBy {
    this.#ruledBy ??= ruledBy(
      [...this.#byTable.keys()].flatMap((id) =>
        (['read', 'write'] as const).flatMap((right) =>
          (this.rulesOn({ id }, right) ?? []).map(({ text }) => [id, right, text] as const),
        ),
      ),
    )
    return this.#ruledBy
  }

  /**
   * The tables that the role may do anything with, as a catalog shows them. Whoever may define tables or inspect the
   * store knows of all of them.
   */
  viewOf(catalog: Catalog): Catalog {
    const known = this.#views.get(catalog)
    if (known !== undefined) return known
    const seesAll = mayOnServer(this.#server, 'define') || this.may('inspect')
    const tables = catalog.tables().filter((table) => seesAll || this.#sees(table))
    const view = createCatalog(catalog.version, tables, this)
    this.#views.set(catalog, view)
    return view
  }

  #keeps(right: ServerRight | TableRight): boolean {
    return !this.isImpersonated || isOfImpersonation(right)
  }

  get #isAdmin(): boolean {
    return mayOnServer(this.#server, 'admin')
  }

  #sees({ id }: TableDefinition): boolean {
    const grants = this.#byTable.get(id)
    return grants !== undefined && grants.length + this.#allTables.size > 0
  }
}

/** What a literal of a rule says like a claim counts as one too, which does no harm. */
const CLAIM = /token\s*\.\s*"?([A-Za-z_]\w*)/gi

function ruledBy(rules: ReadonlyArray<readonly [number, TableRight, string]>): RuledBy {
  const named = rules.flatMap(([, , text]) => [...text.matchAll(CLAIM)].map(([, name]) => name))
  return { text: JSON.stringify(rules), claims: [...new Set(named as string[])].sort() }
}
