import type { ExportFormat } from '@trellis/contract/shapes/graph-export.ts';
import type { GraphForm } from './graph-form.ts';
import { GraphmlForm } from './graphml-form.ts';
import { JsonldForm } from './jsonld-form.ts';
import { JsonlForm } from './jsonl-form.ts';
import { NquadsForm } from './nquads-form.ts';

export function graphForm(format: ExportFormat): GraphForm {
  switch (format) {
    case 'jsonl':
      return new JsonlForm();
    case 'graphml':
      return new GraphmlForm();
    case 'jsonld':
      return new JsonldForm();
    case 'nquads':
      return new NquadsForm();
  }
}
