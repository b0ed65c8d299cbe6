import type { ExportFormat } from '@trellis/contract/shapes/graph-export.ts';
import type { GraphForm } from './graph-form.ts';
import { JsonlForm } from './jsonl-form.ts';

export function graphForm(format: ExportFormat): GraphForm {
  switch (format) {
    case 'jsonl':
      return new JsonlForm();
  }
}
