// SPDX-License-Identifier: Apache-2.0
import { table } from './table-shape.ts'

/** The nine tables of brokers and trades. */
export const BROKER_TABLES = {
  broker: table({
    columns: ['b_id integer, b_name text, b_num_trades integer, b_comm_total integer'],
    primaryKey: ['b_id'],
    indexes: { broker_name: { on: ['b_name'], unique: true } },
  }),
  cash_transaction: table({
    columns: ['ct_t_id integer, ct_dts integer, ct_amt integer, ct_name text'],
    primaryKey: ['ct_t_id'],
  }),
  charge: table({
    columns: ['ch_tt_id text, ch_c_tier integer, ch_chrg integer'],
    primaryKey: ['ch_tt_id', 'ch_c_tier'],
  }),
  // The rate is in hundredths of a percent.
  commission_rate: table({
    columns: [
      'cr_c_tier integer, cr_tt_id text, cr_ex_id text, cr_from_qty integer',
      'cr_to_qty integer, cr_rate integer',
    ],
    primaryKey: ['cr_c_tier', 'cr_tt_id', 'cr_ex_id', 'cr_from_qty'],
  }),
  settlement: table({
    columns: ['se_t_id integer, se_cash_type text, se_cash_due_date integer, se_amt integer'],
    primaryKey: ['se_t_id'],
  }),
  trade: table({
    columns: [
      't_id integer, t_dts integer, t_st_id text, t_tt_id text, t_is_cash integer',
      't_s_symb text, t_qty integer, t_bid_price integer, t_ca_id integer, t_exec_name text',
      't_trade_price integer?, t_chrg integer, t_comm integer, t_tax integer',
      't_lifo integer',
    ],
    primaryKey: ['t_id'],
    indexes: {
      trade_account: { on: ['t_ca_id', 't_dts'] },
      trade_security: { on: ['t_s_symb', 't_dts'] },
    },
  }),
  trade_history: table({
    columns: ['th_t_id integer, th_st_id text, th_dts integer'],
    primaryKey: ['th_t_id', 'th_st_id'],
  }),
  trade_request: table({
    columns: [
      'tr_t_id integer, tr_tt_id text, tr_s_symb text, tr_qty integer, tr_bid_price integer',
      'tr_b_id integer',
    ],
    primaryKey: ['tr_t_id'],
    indexes: {
      trade_request_security: { on: ['tr_s_symb', 'tr_tt_id', 'tr_bid_price'] },
      trade_request_broker: { on: ['tr_b_id'] },
    },
  }),
  trade_type: table({
    columns: ['tt_id text, tt_name text, tt_is_sell integer, tt_is_mrkt integer'],
    primaryKey: ['tt_id'],
  }),
} as const
