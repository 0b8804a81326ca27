// SPDX-License-Identifier: Apache-2.0
import { getMany, scan, scanEach, type Transaction } from '../engine.ts'
import { byKey, distinct, required, singleKeys } from './rows-by-key.ts'

/** What the limit orders are worth that wait with some brokers for a sector of the market, most first. */
export async function brokerVolume(
  transaction: Transaction,
  { brokers, sector }: { readonly brokers: readonly string[]; readonly sector: string },
) {
  const [found, sectors] = await transaction.read(
    scanEach('broker', brokers, ['b_id', 'b_name'], { index: 'broker_name' }),
    // Twelve rows, without an index by name.
    scan('sector', [], ['sc_id', 'sc_name']),
  )
  const rows = found.flat()
  // Nothing lies in a sector that there is not.
  const sectorId = sectors.find((row) => row.sc_name === sector)?.sc_id ?? ''
  const [requests, industries] = await transaction.read(
    scanEach(
      'trade_request',
      rows.map((broker) => broker.b_id),
      ['tr_s_symb', 'tr_qty', 'tr_bid_price'],
      { index: 'trade_request_broker' },
    ),
    scan('industry', [sectorId], ['in_id'], { index: 'industry_sector' }),
  )
  const symbols = distinct(requests.flat().map((request) => request.tr_s_symb))
  const [securities] = await transaction.read(getMany('security', singleKeys(symbols), ['s_co_id']))
  const companyIds = distinct(securities.flatMap((security) => security?.s_co_id ?? []))
  const [companies] = await transaction.read(
    getMany('company', singleKeys(companyIds), ['co_in_id']),
  )
  await transaction.commit()

  const securityOf = byKey(symbols, securities)
  const companyOf = byKey(companyIds, companies)
  const inSector = new Set(industries.map((industry) => industry.in_id))
  const counts = (symbol: string) => {
    const companyId = required(securityOf.get(symbol), `security ${symbol}`).s_co_id
    return inSector.has(required(companyOf.get(companyId), `company ${companyId}`).co_in_id)
  }
  return rows
    .map((broker, position) => {
      const own = (requests[position] ?? []).filter((request) => counts(request.tr_s_symb))
      const volume = own.reduce((sum, { tr_qty, tr_bid_price }) => sum + tr_qty * tr_bid_price, 0)
      return { broker: broker.b_name, volume }
    })
    .filter(({ volume }) => volume > 0)
    .sort((left, right) => right.volume - left.volume || (left.broker < right.broker ? -1 : 1))
}
