import { describe, expect, it } from 'vitest';
import { BodyBudget, BodyHold } from './read-body.ts';

const limits = { bytesMax: 100, addressBytesMax: 60 };
const FULL = expect.objectContaining({ code: 'bodies_in_flight' });

describe('the budget of bodies', () => {
  it('is for each address up to its limit, and not a byte more', () => {
    const budget = new BodyBudget(limits);
    const hold = new BodyHold(budget, 'a');
    hold.add(59);
    hold.add(1);
    expect(() => hold.add(1)).toThrow(FULL);
    expect(() => new BodyHold(budget, 'a').add(1)).toThrow(FULL);
    new BodyHold(budget, 'b').add(40);
    expect(budget.bytes).toBe(100);
  });

  it('is for all together up to its limit, and not a byte more', () => {
    const budget = new BodyBudget(limits);
    new BodyHold(budget, 'a').add(60);
    const other = new BodyHold(budget, 'b');
    other.add(40);
    expect(() => other.add(1)).toThrow(FULL);
    expect(() => new BodyHold(budget, 'c').add(1)).toThrow(FULL);
    expect(budget.bytes).toBe(100);
  });

  it('has everything back when requests have ended, and forgets who had it', () => {
    const budget = new BodyBudget(limits);
    const hold = new BodyHold(budget, 'a');
    hold.add(60);
    const second = new BodyHold(budget, 'b');
    second.add(30);
    hold.release();
    hold.release();
    hold.add(5);
    expect([budget.bytes, budget.addresses]).toEqual([30, 1]);
    second.release();
    expect([budget.bytes, budget.addresses]).toEqual([0, 0]);
  });
});
