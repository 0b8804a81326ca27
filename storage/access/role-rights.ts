// SPDX-License-Identifier: Apache-2.0
import { type Catalog, createCatalog } from '../tables/catalog/catalog.ts'
import type { Rights, ServerRight } from '../tables/rights.ts'
import type { TableDefinition, TableRight } from '../tables/table-definition.ts'
import type { AccessRole } from './access-roles.ts'

/**
 * The rights of a role as they are now, on tables as they are at any moment: those that a table grants are told by its
 * id, so a table that bore its name before has its own, and one that there is no more grants nothing.
 */
export class RoleRights implements Rights {
  readonly role: string
  readonly #server: ReadonlySet<ServerRight>
  readonly #allTables: ReadonlySet<TableRight>
  readonly #byTable: ReadonlyMap<number, ReadonlySet<TableRight>>
  /** By what they show the tables of. */
  readonly #views = new WeakMap<Catalog, Catalog>()

  /** `newest` has the grants that count. */
  constructor({ name, server, allTables }: AccessRole, newest: Catalog) {
    this.role = name
    this.#server = new Set(server)
    this.#allTables = new Set(allTables)
    this.#byTable = new Map(
      newest.tables().map(({ id, grants }) => {
        const own = grants.flatMap(({ role, right }) => (role === name ? [right] : []))
        return [id, new Set([...allTables, ...own])]
      }),
    )
  }

  may(right: ServerRight): boolean {
    return this.#server.has(right) || this.#server.has('admin')
  }

  /** A table that there is no more can be read by those who may inspect the store. */
  mayOn({ id }: TableDefinition, right: TableRight): boolean {
    if (this.may('admin')) return true
    const rights = this.#byTable.get(id)
    if (rights !== undefined) return rights.has(right)
    return this.#allTables.has(right) && this.may('inspect')
  }

  /**
   * The tables that the role may do anything with, as a catalog shows them. Whoever may define tables or inspect the
   * store knows of all of them.
   */
  viewOf(catalog: Catalog): Catalog {
    const known = this.#views.get(catalog)
    if (known !== undefined) return known
    const seesAll = this.may('define') || this.may('inspect')
    const tables = catalog.tables().filter((table) => seesAll || this.#sees(table))
    const view = createCatalog(catalog.version, tables, this)
    this.#views.set(catalog, view)
    return view
  }

  #sees({ id }: TableDefinition): boolean {
    return (this.#byTable.get(id)?.size ?? 0) > 0
  }
}
