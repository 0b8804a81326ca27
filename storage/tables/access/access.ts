// SPDX-License-Identifier: Apache-2.0

/** The door of access: tokens, roles, blocks and secrets, as rows. */

export {
  type AccessBlock,
  createAccessBlock,
  dropAccessBlock,
  readAccessBlocks,
} from './access-blocks.ts'
export {
  type AccessRelay,
  changeRelay,
  createRelay,
  dropRelay,
  type RelayPart,
  type RelayProgress,
  type RelayRows,
  type RelayState,
  type RelayStop,
  readRelay,
  readRelays,
  relayLagMs,
  relayStateOf,
  turnRelay,
  writeRelayProgress,
} from './access-relays.ts'
export {
  type AccessRole,
  changeAccessRole,
  createAccessRole,
  dropAccessRole,
  isOfImpersonation,
  mayOnServer,
  readAccessRoles,
  requireAccessRole,
  requireChangeableRole,
  revokeOnAllTables,
} from './access-roles.ts'
export { newestAccessChange, readAccessVersion } from './access-rows.ts'
export {
  type AccessSecret,
  readAccessSecret,
  rotateAccessSecret,
} from './access-secrets.ts'
export {
  type AccessToken,
  changeAccessToken,
  createAccessToken,
  dropAccessToken,
  isAdmin,
  readAccessTokens,
} from './access-tokens.ts'
export { type ShownToken, takeFirstToken } from './first-token.ts'
export {
  changedLimits,
  NO_LIMITS,
  ROLE_LIMITS,
  type RoleLimit,
  type RoleLimits,
  roleLimitMax,
} from './role-limits.ts'
export { RoleRights } from './role-rights.ts'
export {
  dayOf,
  readRoleWritten,
  secondsToNextDay,
  writeRoleWritten,
} from './role-written.ts'
export { grantOnTable, revokeOnTable } from './table-grants.ts'
export {
  hashOfToken,
  idOfToken,
  newTokenText,
  TOKEN_PREFIX,
  withoutTokens,
} from './token-text.ts'
