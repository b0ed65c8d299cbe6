import { LOG_LEVELS, type LogLevel } from '@trellis/contract/log-levels.ts';
import type { BadgeTone } from '../../ui/badge.tsx';

export const LEVEL_OPTIONS = [
  { value: '', label: 'Every level' },
  ...LOG_LEVELS.map((value) => ({ value, label: `${value} and above` })),
];

export function levelOf(text: string | undefined): LogLevel | undefined {
  return LOG_LEVELS.find((level) => level === text);
}

export function toneOf(level: string): BadgeTone {
  if (level === 'error' || level === 'fatal') return 'danger';
  if (level === 'warn') return 'warning';
  return level === 'info' ? 'info' : 'neutral';
}
