// SPDX-License-Identifier: Apache-2.0
import { accessSync, constants, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Contender, Experiment } from '../harness/experiment.ts'

const POSTGRES_FOLDER = '/usr/lib/postgresql'

/** Where bench/peers.sh puts what is no package of Debian. */
const OWN_FOLDER = fileURLToPath(new URL('../.peers/bin', import.meta.url))

/** A peer's program is not on this machine; the message says how to get it. */
export class PeerMissing extends Error {
  override readonly name = 'PeerMissing'

  constructor(program: string) {
    super(`${program} is not installed here; bench/peers.sh installs it (as root, on Debian)`)
  }
}

/** The path of a program on PATH or among Debian's PostgreSQL versions. Throws PeerMissing. */
export function findExecutable(program: string): string {
  const path = installedExecutable(program)
  if (path === undefined) throw new PeerMissing(program)
  return path
}

/** Undefined where nothing is needed, or it is there. */
export function missingPeer(program: string | undefined): PeerMissing | undefined {
  if (program === undefined || installedExecutable(program) !== undefined) return undefined
  return new PeerMissing(program)
}

/** As `findExecutable`; undefined where there is no such program. */
export function installedExecutable(program: string): string | undefined {
  const folders = [...postgresFolders(), OWN_FOLDER, ...(process.env.PATH ?? '').split(delimiter)]
  for (const folder of folders) {
    const path = join(folder, program)
    try {
      accessSync(path, constants.X_OK)
      return path
    } catch {
      // Not in this folder.
    }
  }
  return undefined
}

/** Version 15 is the one that the goals name; without it the newest. */
function postgresFolders(): string[] {
  let versions: number[]
  try {
    versions = readdirSync(POSTGRES_FOLDER).map(Number).filter(Number.isInteger)
  } catch {
    return []
  }
  versions.sort((one, other) => Number(other === 15) - Number(one === 15) || other - one)
  return versions.map((version) => join(POSTGRES_FOLDER, String(version), 'bin'))
}

/** A contender that needs a program which may not be installed. */
export type PeerContender = Contender & { readonly program?: string | undefined }

/**
 * The experiment without the contenders whose programs are missing, and with a sentence about each:
 * one who has only some of the peers sees the others measured.
 */
export function withInstalledPeers(
  experiment: Omit<Experiment, 'contenders'> & { readonly contenders: readonly PeerContender[] },
): Experiment {
  const missing = new Map<string, string>()
  for (const { name, program } of experiment.contenders) {
    const problem = missingPeer(program)
    if (problem !== undefined) missing.set(name, problem.message)
  }
  const left = (name: string | undefined) => name === undefined || !missing.has(name)
  return {
    ...experiment,
    contenders: experiment.contenders.filter(({ name }) => left(name)),
    goals: experiment.goals.filter(({ of, to }) => left(of) && left(to)),
    notes: [
      ...(experiment.notes ?? []),
      ...[...missing].map(([name, problem]) => `Left out: ${name}. ${problem}.`),
    ],
  }
}
