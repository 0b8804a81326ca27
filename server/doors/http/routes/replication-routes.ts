// SPDX-License-Identifier: Apache-2.0
import { Readable } from 'node:stream'
import { GROUP_FORMAT, type Primary } from '../../../../storage/storage.ts'
import type { GroupsOrder } from '../../../operations/replication/followers.ts'
import type { RouteDependencies } from '../dependencies.ts'
import { aboutRequest, listedWork } from '../listed-work.ts'
import type { Handlers } from '../openapi/binding.ts'
import { sendStoreFile } from './store-file.ts'

/** Whether others have what this one has. */
export function shownCopy({ secondCopy, groupsBehind }: Primary) {
  const { mode, isConnected, isAlone, copied } = secondCopy
  return { mode, connected: isConnected, alone: isAlone, copied, groupsBehind }
}

function roleOf({ storage, availability }: RouteDependencies): string {
  if (availability.successor !== undefined) return 'superseded'
  return storage.standby === undefined ? 'primary' : 'standby'
}

/** How another server follows this one (docs/standby.md). */
export function replicationRoutes(deps: RouteDependencies): Handlers {
  const { storage, followers, requests, audit, following, availability } = deps
  return {
    async getReplication() {
      const { primary, standby } = storage
      const progress = following?.state.view()
      return {
        role: roleOf(deps),
        position: (standby ?? primary)?.position ?? null,
        kept: primary?.kept ?? null,
        followers: followers.list,
        ...(primary && { secondCopy: shownCopy(primary) }),
        ...(standby && progress && { standby: { ...progress, visible: standby.visible } }),
      }
    },

    async supersedeServer({ body, reply }) {
      const { by, history } = body as { readonly by: string; readonly history: string }
      return await listedWork(requests, reply, async (running) => {
        // A former primary that follows by now, at the same address, has nothing to give up.
        if (storage.standby === undefined) {
          availability.supersede({ url: by, history })
          audit.superseded(running, by)
        }
        reply.code(204).removeHeader('content-type')
      })
    },

    async copyStore({ reply }) {
      const running = requests.begin(reply.raw, aboutRequest(reply))
      try {
        const copy = await followers.copy(running.signal)
        audit.backup(running, 'standby')
        return sendStoreFile(reply, running, copy)
      } catch (error) {
        running.end()
        throw error
      }
    },

    async readGroups({ body, reply }) {
      return await listedWork(requests, reply, async (running) => {
        running.follows()
        const frame = await followers.groups(body as GroupsOrder, running.signal)
        const { groups, position, visible = null, newest, safePoint, last } = frame
        const bytes = groups.reduce((sum, { length }) => sum + length, 0)
        const history = storage.history.name
        const stamps = { visible, newest, safePoint }
        const head = { ...position, format: GROUP_FORMAT, ...stamps, last, history, bytes }
        reply.header('content-type', 'application/octet-stream')
        return Readable.from([Buffer.from(`${JSON.stringify(head)}\n`), ...groups])
      })
    },
  }
}
