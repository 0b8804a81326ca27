// SPDX-License-Identifier: Apache-2.0

// What the composition root makes of the configuration.

import {
  openGateway,
  openStandby,
  openStorage,
  type Storage,
  type StorageOptions,
} from '../storage/storage.ts'
import type { Config } from './config.ts'
import { isLoopbackName } from './doors/http/origin-and-host.ts'
import type { Access } from './guard/access/access.ts'
import { JwtKeys } from './guard/access/jwt-keys.ts'
import { JwtTokens } from './guard/access/jwt-tokens.ts'
import type { Audit } from './guard/audit/audit.ts'
import { openAudit } from './guard/audit/open-audit.ts'
import { openSharedEngine } from './operations/engines/open-engine.ts'
import type { RequestsDependencies } from './requests/prepared/running-requests.ts'
import type { SessionsDependencies } from './requests/transactions/transaction-sessions.ts'
import { UsageError } from './usage-error.ts'

/** The store that the flags name. Rejects as `openStorage`. */
export async function openConfigured(
  config: Config,
  options: Omit<StorageOptions, 'engine' | 'dataDirectory'>,
): Promise<Storage> {
  const { engine, sharedEngine, dataDirectory, commit, redoLog, rowCacheBytes, stepDelayMs } =
    config
  if (sharedEngine !== undefined) {
    const cellStore = await openSharedEngine(sharedEngine)
    return await openGateway(cellStore, { ...options, ownsCellStore: true })
  }
  const embedded = engine === 'memory' ? 'memory' : 'sqlite'
  if (config.follow !== undefined) {
    const { url: primary } = config.follow
    return await openStandby({ ...options, dataDirectory, rowCacheBytes, primary })
  }
  const own = { dataDirectory, commit, redoLog, rowCacheBytes, stepDelayMs }
  return await openStorage({ ...options, ...own, engine: embedded })
}

/** An open transaction holds garbage collection back for as long as it may live. */
export function retentionOf(config: Config) {
  const heldMsMax = config.transactionTotalMs + config.statementTimeoutMs
  return { retentionMs: config.retentionMs, heldMsMax, isDefault: !config.isRetentionGiven }
}

/** What sessions ask of the rights of now. */
export function rightsOf(
  access: Access,
): Required<Pick<SessionsDependencies, 'limitsOf' | 'viewOf'>> {
  return {
    limitsOf: (who) => access.limitsOf(who),
    viewOf: (who, catalog) => access.viewOf(who, catalog),
  }
}

/** Who sent a request, what limits it has, and whether it may go on. */
export function callersOf(
  access: Access,
): Pick<RequestsDependencies, 'principalOf' | 'limitsOf' | 'refusalOf'> {
  return {
    principalOf: (raw) => access.of(raw),
    limitsOf: (principal) => access.limitsOf(principal),
    refusalOf: (raw) => access.refusalSince(raw),
  }
}

/** Undefined where no JWT is taken. Throws UsageError where its keys cannot be used. */
export function jwtTokensOf({ jwt }: Config, options: JwtOptions): JwtTokens | undefined {
  if (jwt === undefined) return undefined
  try {
    return new JwtTokens(jwt, new JwtKeys(jwt.keys, options), options.clock)
  } catch (error) {
    const where = jwt.keys.kind === 'file' ? jwt.keys.path : jwt.keys.url
    throw new UsageError(`--jwt-keys ${where}: ${(error as Error).message}.`)
  }
}

/** Throws UsageError where its file cannot be used. */
export function auditOf({ audit }: Config, options: JwtOptions): Audit {
  try {
    return openAudit(audit, options)
  } catch (error) {
    throw new UsageError(`--audit ${audit}: ${(error as Error).message}.`)
  }
}

type JwtOptions = ConstructorParameters<typeof JwtKeys>[1]

/** Throws UsageError where the tokens of the store and the flags of the server contradict each other. */
export function requireTokens({ auth, host, jwt }: Config, { tokenCount }: Access): void {
  if (auth === 'off' && tokenCount > 0) {
    throw new UsageError(
      '--no-auth: this database has tokens of access, so start without it. When all are lost, make one with percolite token create.',
    )
  }
  if (auth === 'required' && jwt === undefined && tokenCount === 0 && !isLoopbackName(host)) {
    throw new UsageError(
      `--host ${host}: nobody could get in, because there is no token. Make the first one with --admin-token-file or percolite token create.`,
    )
  }
}
