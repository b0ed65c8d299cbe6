import { useQueryClient } from '@tanstack/react-query';
import type { AiProviders } from '@trellis/contract/shapes/assistant.ts';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { client } from '../../../api/client.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { TextField } from '../../../ui/field.tsx';
import { ServerForm } from '../../../ui/server-form.tsx';
import { toastDone } from '../../../ui/toast.ts';
import { ApiKeyFields, keyChangeOf, type KeyText } from './api-key-fields.tsx';
import { providersQuery } from './provider-queries.ts';
import { RemoveProviderDialog } from './remove-provider-dialog.tsx';

type Embeddings = AiProviders['embeddings'];

interface EmbeddingsText extends KeyText {
  readonly baseUrl: string;
  readonly model: string;
}

interface EmbeddingsCardProps {
  readonly embeddings: Embeddings;
  readonly isAllowed: boolean;
}

/** Who makes vectors of texts: any server that speaks OpenAI's protocol (docs/embeddings.md). */
export function EmbeddingsCard({ embeddings, isAllowed }: EmbeddingsCardProps) {
  const queries = useQueryClient();
  const [isRemoving, setIsRemoving] = useState(false);
  const form = useForm<EmbeddingsText>({ defaultValues: embeddingsTextOf(embeddings) });
  const { errors, isDirty, isSubmitting } = form.formState;
  const save = async ({ baseUrl, model, ...key }: EmbeddingsText) => {
    const settings = { provider: 'openai-compatible' as const, baseUrl, model };
    const saved = await client.aiProviders.put({
      embeddings: { ...settings, ...keyChangeOf(key) },
    });
    form.reset(embeddingsTextOf(saved.embeddings));
    queries.setQueryData(providersQuery.queryKey, saved);
    toastDone('The provider of embeddings is saved');
  };
  return (
    <Card title="Embeddings" description="Makes the vectors of texts for search by meaning.">
      <ServerForm form={form} onSend={save} isDisabled={!isAllowed}>
        <TextField
          label="Address of embeddings"
          hint="The base URL of the API in OpenAI's protocol, such as https://api.openai.com/v1"
          autoComplete="off"
          error={errors.baseUrl?.message}
          {...form.register('baseUrl', { required: 'Enter the address.' })}
        />
        <TextField
          label="Model of embeddings"
          autoComplete="off"
          error={errors.model?.message}
          {...form.register('model', { required: 'Enter the model.' })}
        />
        <ApiKeyFields form={form} isSet={embeddings?.hasApiKey === true} />
        <div className="flex flex-wrap justify-end gap-2">
          {embeddings !== null && <Button onClick={() => setIsRemoving(true)}>Remove</Button>}
          <Button kind="primary" type="submit" disabled={!isDirty} isBusy={isSubmitting}>
            Save the provider of embeddings
          </Button>
        </div>
      </ServerForm>
      {isRemoving && (
        <RemoveProviderDialog kind="embeddings" onClose={() => setIsRemoving(false)} />
      )}
    </Card>
  );
}

function embeddingsTextOf(embeddings: Embeddings): EmbeddingsText {
  return {
    baseUrl: embeddings?.baseUrl ?? '',
    model: embeddings?.model ?? '',
    apiKey: '',
    removesKey: false,
  };
}
