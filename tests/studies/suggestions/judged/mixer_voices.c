/* mixer_voices.c: adds voices of a synthesizer, each with its gain, into one buffer. */
#include "judged.h"

enum { VOICES = 80, FRAMES = 2048 };

struct voice {
    float gain;
    float samples[FRAMES];
};

struct mixer {
    float *out;
    int frames;
};

struct state {
    double result;
    struct mixer mixer;
    struct voice voices[VOICES];
    float out[FRAMES];
};

/* For the compiler out may be the voice itself: nothing is known beyond one sample. */
static ELSEWHERE void add_voice(struct mixer *mixer, const struct voice *voice)
{
    for (int i = 0; i < mixer->frames; i++)
        mixer->out[i] += voice->samples[i] * voice->gain;
}

static ELSEWHERE void add_voice_apart(struct mixer *mixer, const struct voice *voice)
{
    float *restrict out = mixer->out;
    const float *restrict samples = voice->samples;
    const float gain = voice->gain;
    const int frames = mixer->frames;
#pragma omp simd
    for (int i = 0; i < frames; i++)
        out[i] += samples[i] * gain;
}

static double loudness(const float *samples)
{
    double sum = 0;
    for (int i = 0; i < FRAMES; i += 16)
        sum += (double)samples[i] * (double)samples[i];
    return sum;
}

static bool set_up(struct kgate_context *context, void **place)
{
    struct state *state = context->allocate(context, sizeof *state);
    if (!state)
        return refuse(context, "out of memory");
    uint64_t random = context->seed | 1;
    state->mixer = (struct mixer){state->out, FRAMES};
    for (int i = 0; i < VOICES; i++) {
        state->voices[i].gain = 1.0f / (float)(i + 1);
        for (int j = 0; j < FRAMES; j++)
            state->voices[i].samples[j] = (float)below(&random, 65536) / 32768.0f - 1;
    }
    *place = state;
    return true;
}

static void run_bad(void *place)
{
    struct state *state = place;
    memset(state->out, 0, sizeof state->out);
    for (int i = 0; i < VOICES; i++)
        add_voice(&state->mixer, &state->voices[i]);
    state->result = loudness(state->out);
}

static void run_good(void *place)
{
    struct state *state = place;
    memset(state->out, 0, sizeof state->out);
    for (int i = 0; i < VOICES; i++)
        add_voice_apart(&state->mixer, &state->voices[i]);
    state->result = loudness(state->out);
}

PAIR(mixer_voices, 1e-6, "Voices mixed into one buffer.");
