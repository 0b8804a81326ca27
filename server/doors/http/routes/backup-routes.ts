// SPDX-License-Identifier: Apache-2.0
import type { FastifyReply } from 'fastify'
import { ServerError } from '../../../errors/server-error.ts'
import { SERVER_LIMITS } from '../../../limits.ts'
import type { BackupPage, Backups } from '../../../operations/backups/backups.ts'
import { moveTargetOf, type TargetTexts } from '../../../operations/move/move-target.ts'
import type { RunningRequest } from '../../../requests/prepared/running-request.ts'
import { UsageError } from '../../../usage-error.ts'
import { bodyOfHead } from '../answers/stream-answers.ts'
import type { RouteDependencies } from '../dependencies.ts'
import { aboutRequest, listedWork } from '../listed-work.ts'
import type { Handlers } from '../openapi/binding.ts'
import { headOfStoreFile, sendStoreFile } from './store-file.ts'

/** `BackupOrder` of `openapi.yaml`. */
type BackupOrder = { readonly name: string; readonly check?: boolean }

export function backupRoutes({ backups, requests, audit }: RouteDependencies): Handlers {
  /** Done as a request that is listed, and told in the audit log. */
  const audited = <T>(reply: FastifyReply, name: string, work: () => Promise<T>): Promise<T> =>
    listedWork(requests, reply, async (running) => {
      const result = await work()
      audit.backup(running, name)
      return result
    })
  return {
    async listBackups({ parameters }) {
      const { limit = SERVER_LIMITS.backupsMax, cursor } = parameters as Partial<BackupPage>
      return await backups.list({ limit, cursor })
    },

    async createBackup({ body, reply }) {
      const { name, check = true } = body as BackupOrder
      const state = await audited(reply, name, () => backups.begin(name, check))
      reply.code(202)
      return state
    },

    async getBackup({ parameters }) {
      return await backups.of(String(parameters.name))
    },

    async getBackupFile({ parameters, reply }) {
      const name = String(parameters.name)
      const running = requests.begin(reply.raw, aboutRequest(reply))
      try {
        return await sendBackup(backups, name, reply, running, () => audit.backup(running, name))
      } catch (error) {
        running.end()
        throw error
      }
    },

    async deleteBackup({ parameters, reply }) {
      const name = String(parameters.name)
      await audited(reply, name, () => backups.remove(name))
      reply.code(204).removeHeader('content-type')
    },
  }
}

/** The file, which is told once it is open; a HEAD has its head only. */
async function sendBackup(
  backups: Backups,
  name: string,
  reply: FastifyReply,
  running: RunningRequest,
  opened: () => void,
): Promise<unknown> {
  const { file, manifest } = await backups.open(name)
  if (reply.request.method === 'HEAD') {
    headOfStoreFile(reply, manifest)
    await file.close()
    running.end()
    return bodyOfHead()
  }
  opened()
  return sendStoreFile(reply, running, { file, ...manifest })
}

/** `MoveOrder` of `openapi.yaml`. */
type MoveBody = {
  readonly to: string
  readonly targetUrl?: string
  readonly follow?: boolean
  readonly compare?: boolean
  readonly options?: TargetTexts
}

export function moveRoutes({ moves }: RouteDependencies): Handlers {
  return {
    async getMove() {
      return moves.state
    },

    async beginMove({ body, reply }) {
      const { to, targetUrl = '', follow = false, compare = true, options = {} } = body as MoveBody
      moves.requireAllowed()
      reply.code(202)
      return moves.begin({ target: targetOf(to, options), targetUrl, follow, compare })
    },
  }
}

/** Passwords come from the environment of this process, and files are those that it can read. */
function targetOf(to: string, options: TargetTexts) {
  try {
    return moveTargetOf(to, options, process.env)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    throw new ServerError('invalid_request', error.message)
  }
}
