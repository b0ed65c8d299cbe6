import type { Deployment } from '@trellis/contract/shapes/deployment.ts';
import type { BadgeTone } from '../../../ui/badge.tsx';

export const CAUSES: Readonly<
  Record<Deployment['cause'], { readonly tone: BadgeTone; readonly word: string }>
> = {
  import: { tone: 'good', word: 'Import' },
  rollback: { tone: 'info', word: 'Rollback' },
  found: { tone: 'neutral', word: 'Made by hand' },
};

/** Who did it, and with which token. */
export function doerOf({ by, token }: Pick<Deployment, 'by' | 'token'>): string {
  const doers = [by?.name, token === null ? undefined : `token ${token.name}`];
  return doers.filter((one) => one !== undefined).join(', ') || '–';
}

/** In the words of the report of an import. */
export function changesText({ cause, totals }: Pick<Deployment, 'cause' | 'totals'>): string {
  return cause === 'found' ? 'Not known one by one' : countsText(totals);
}

export function countsText(totals: Deployment['totals']): string {
  const { created = 0, changed = 0, deleted = 0 } = totals;
  return `${created} new, ${changed} changed, ${deleted} deleted`;
}
