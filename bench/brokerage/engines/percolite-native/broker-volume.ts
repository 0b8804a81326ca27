// SPDX-License-Identifier: Apache-2.0
import type { BrokerVolumeResult } from '../../transactions/broker-volume.ts'
import { NativeReads, type NativeWork } from './native-scripts.ts'

const BROKERS = 'GET b_id, b_name FROM broker WHERE b_name IN :brokers'

// Who asks names most of the brokers; the groups of the others between them are left out below.
const BROKER_IDS = `
  SCAN MIN(b_id), MAX(b_id) FROM broker USE INDEX broker_name
  WHERE b_name IN :brokers
  INTO :firstBroker, :lastBroker`

// Nothing lies in a sector that there is not: MIN is NULL then.
const SECTOR = 'SCAN MIN(sc_id) FROM sector USE PRIMARY KEY WHERE sc_name = :sector INTO :sectorId'

const VOLUMES = `
  SCAN r.tr_b_id, SUM(r.tr_qty * r.tr_bid_price) AS volume
  FROM trade_request AS r USE INDEX trade_request_broker
  LOOKUP security AS s BY s.s_symb = r.tr_s_symb
  LOOKUP company AS c BY c.co_id = s.s_co_id
  LOOKUP industry AS i BY i.in_id = c.co_in_id
  WHERE r.tr_b_id BETWEEN :firstBroker AND :lastBroker AND i.in_sc_id = :sectorId
  GROUP BY r.tr_b_id`

type Rows = {
  readonly brokers: readonly { readonly b_id: number; readonly b_name: string }[]
  readonly volumes: readonly { readonly tr_b_id: number; readonly volume: number }[]
}

export const brokerVolume: NativeWork<'Broker-Volume'> = async (requests, { brokers, sector }) => {
  const script = { brokers: BROKERS, brokerIds: BROKER_IDS, sector: SECTOR, volumes: VOLUMES }
  const found = await new NativeReads(requests).run<Rows>(script, { brokers, sector })
  const nameOf = new Map(found.brokers.map(({ b_id, b_name }) => [b_id, b_name]))
  return found.volumes
    .filter(({ tr_b_id, volume }) => nameOf.has(tr_b_id) && volume > 0)
    .map(({ tr_b_id, volume }) => ({ broker: nameOf.get(tr_b_id) ?? '', volume }))
    .sort(byVolume)
}

type Volume = BrokerVolumeResult[number]

function byVolume(left: Volume, right: Volume): number {
  return right.volume - left.volume || (left.broker < right.broker ? -1 : 1)
}
