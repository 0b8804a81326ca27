// SPDX-License-Identifier: Apache-2.0

import { readRegularSync } from '../../../storage/operations/operations.ts'
import type { CellStore } from '../../../storage/storage.ts'
import { PEM_FILE_BYTES_MAX } from '../../limits.ts'
import { readPackageFile } from '../../package-files.ts'
import { UsageError } from '../../usage-error.ts'
import {
  type BigtableEngine,
  describeEngine,
  type EtcdEngine,
  type SharedEngine,
} from './engine-config.ts'

/**
 * Opens the cell store that the gateways share. Throws UsageError when its packages are not installed or a file cannot
 * be read, and an Error that says where the store is when it cannot be opened.
 */
export async function openSharedEngine(engine: SharedEngine): Promise<CellStore> {
  try {
    return engine.kind === 'bigtable' ? await openBigtable(engine) : await openEtcd(engine)
  } catch (error) {
    if (error instanceof UsageError) throw error
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ERR_MODULE_NOT_FOUND') throw packagesMissing(engine, error)
    throw new Error(`${describeEngine(engine)} cannot be opened: ${message}`, { cause: error })
  }
}

async function openBigtable(engine: BigtableEngine): Promise<CellStore> {
  const { openBigtableCellStore } = await import('../../../engines/bigtable/bigtable-engine.ts')
  return await openBigtableCellStore(engine)
}

async function openEtcd({ members, prefix, user, tls }: EtcdEngine): Promise<CellStore> {
  const { openEtcdCellStore } = await import('../../../engines/etcd/etcd-engine.ts')
  const files =
    tls === undefined
      ? undefined
      : {
          authority: contentOf('etcd-ca', tls.ca),
          certificate: contentOf('etcd-cert', tls.cert),
          key: contentOf('etcd-key', tls.key),
        }
  return await openEtcdCellStore({ members, prefix, user, tls: files })
}

function contentOf(flag: string, path: string | undefined): Buffer | undefined {
  if (path === undefined) return undefined
  try {
    return readRegularSync(path, PEM_FILE_BYTES_MAX)
  } catch (error) {
    throw new UsageError(`--${flag} ${path}: it cannot be read: ${(error as Error).message}.`)
  }
}

function packagesMissing({ kind }: SharedEngine, cause: unknown): UsageError {
  const { peerDependencies } = JSON.parse(readPackageFile('engines/package.json'))
  const packages = Object.entries(peerDependencies)
  const wanted = packages.map(([name, version]) => `${name}@${version}`).join(' ')
  return new UsageError(
    `--engine ${kind} needs packages that are not installed: npm install --no-save ${wanted}`,
    { cause },
  )
}
