// SPDX-License-Identifier: Apache-2.0
import { EXCHANGE_IDS, QUANTITY_BANDS, TIERS, TRADE_TYPES } from '../codes.ts'
import { chargeOf, commissionRate } from '../tariff.ts'
import type { TableRows } from './table-rows.ts'

export const tradeTypeRows: TableRows<'trade_type'> = {
  parents: () => 1,
  rowsOf: () =>
    TRADE_TYPES.map(({ id, name, isSell, isMarket }) => ({
      tt_id: id,
      tt_name: name,
      tt_is_sell: Number(isSell),
      tt_is_mrkt: Number(isMarket),
    })),
}

export const chargeRows: TableRows<'charge'> = {
  parents: () => 1,
  rowsOf: () =>
    TRADE_TYPES.flatMap(({ id }) =>
      TIERS.map((tier) => ({ ch_tt_id: id, ch_c_tier: tier, ch_chrg: chargeOf(id, tier) })),
    ),
}

export const commissionRateRows: TableRows<'commission_rate'> = {
  parents: () => 1,
  rowsOf: () =>
    TIERS.flatMap((tier) =>
      TRADE_TYPES.flatMap(({ id }) =>
        EXCHANGE_IDS.flatMap((exchangeId, exchange) =>
          QUANTITY_BANDS.map(([from, to], band) => ({
            cr_c_tier: tier,
            cr_tt_id: id,
            cr_ex_id: exchangeId,
            cr_from_qty: from,
            cr_to_qty: to,
            cr_rate: commissionRate(id, tier, exchange, band),
          })),
        ),
      ),
    ),
}
