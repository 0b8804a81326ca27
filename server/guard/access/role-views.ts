// SPDX-License-Identifier: Apache-2.0

import type { Storage } from '../../../storage/storage.ts'
import {
  type AccessRole,
  isOfImpersonation,
  mayOnServer,
  NO_LIMITS,
  type RoleLimits,
  RoleRights,
} from '../../../storage/tables/access/access.ts'
import {
  ADMIN_ROLE,
  type Catalog,
  EVERY_RIGHT,
  type Rights,
  type ServerRight,
} from '../../../storage/tables/tables.ts'
import type { Principal } from './principal.ts'
import { standingOf } from './standing.ts'

/** Who has a role, or sees as it and changes nothing. */
type Holder = Pick<Principal, 'role' | 'impersonatedBy'>

type Known = { readonly newest: Catalog; readonly rights: RoleRights }

/** What each role may do now, and what it sees of the tables as they are at any moment. */
export class RoleViews {
  readonly #storage: Pick<Storage, 'knownCatalog'>
  #roles: ReadonlyMap<string, AccessRole> = new Map()
  #rights = new Map<string, Known>()
  #impersonated = new Map<string, Known>()

  constructor(storage: Pick<Storage, 'knownCatalog'>) {
    this.#storage = storage
  }

  /** The roles have been read anew. */
  know(roles: readonly AccessRole[]): void {
    this.#roles = new Map(roles.map((role) => [role.name, role]))
    this.#rights = new Map()
    this.#impersonated = new Map()
  }

  /** The catalog as who has the role may know it. */
  viewOf(holder: Holder, catalog: Catalog): Catalog {
    const rights = this.rightsOf(holder, catalog)
    if (!(rights instanceof RoleRights) || catalog.rights === rights) return catalog
    return rights.viewOf(catalog)
  }

  /** Whether there is this role: `admin` always. */
  has(role: string): boolean {
    return role === ADMIN_ROLE || this.#roles.has(role)
  }

  /** Whether a JWT may claim it. */
  isForJwt(role: string): boolean {
    return this.#roles.get(role)?.isForJwt === true
  }

  /** What each holder of the role may have less of than the server allows. */
  limitsOf(role: string): RoleLimits {
    return this.#roles.get(role)?.limits ?? NO_LIMITS
  }

  /** What who has the role may do with the server as a whole; undefined is who may do everything. */
  may(holder: Holder | undefined, right: ServerRight): boolean {
    if (holder === undefined) return true
    const { role, impersonatedBy } = holder
    if (role === ADMIN_ROLE) return EVERY_RIGHT.may(right)
    if (impersonatedBy !== undefined && !isOfImpersonation(right)) return false
    return mayOnServer(this.#roles.get(role)?.server ?? [], right)
  }

  /** Whether it may do nothing at all, as far as is known here. */
  mayNothing(role: string): boolean {
    const { knownCatalog } = this.#storage
    if (knownCatalog === undefined) return false
    const rights = this.rightsOf({ role }, knownCatalog)
    return rights instanceof RoleRights && rights.isEmpty
  }

  /** Whether two tokens say the same of their holder, of what the rules of the role ask. */
  isSameHolder(one: Principal, other: Principal): boolean {
    if (one.id !== other.id || one.role !== other.role) return false
    const { knownCatalog } = this.#storage
    if (knownCatalog === undefined) return true
    const rights = this.rightsOf(one, knownCatalog)
    return standingOf({ rights }, one) === standingOf({ rights }, other)
  }

  /** The newest grants count, for snapshots of the past as well. A role that there is no more may do nothing. */
  rightsOf({ role, impersonatedBy }: Holder, catalog: Catalog): Rights {
    if (role === ADMIN_ROLE) return EVERY_RIGHT
    const newest = newerOf(this.#storage.knownCatalog, catalog)
    const isImpersonated = impersonatedBy !== undefined
    const all = isImpersonated ? this.#impersonated : this.#rights
    const known = all.get(role)
    if (known?.newest.version === newest.version) return known.rights
    const found = this.#roles.get(role) ?? {
      name: role,
      isForJwt: false,
      server: [],
      allTables: [],
    }
    const rights = new RoleRights(found, newest, isImpersonated)
    all.set(role, { newest, rights })
    return rights
  }
}

function newerOf(known: Catalog | undefined, catalog: Catalog): Catalog {
  return (known?.version ?? -1) > (catalog.version ?? Number.MAX_SAFE_INTEGER)
    ? (known as Catalog)
    : catalog
}
