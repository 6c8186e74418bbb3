//! Mixtures with published parameters: the S sets.

/// Where the S sets have their 15 clusters, as their authors publish it, on a plane of about a million by a million.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mixture {
    /// The centres of the clusters, which have equal sizes.
    pub centres: [(u32, u32); 15],
    /// The standard deviation of each along each axis. It is not published: ours is about that of the real clusters.
    pub deviation: u32,
}

/// S1.
pub const S1: Mixture = Mixture {
    centres: [
        (604_328, 574_379),
        (801_908, 318_382),
        (416_383, 786_204),
        (822_771, 732_034),
        (850_993, 157_873),
        (338_586, 563_537),
        (169_274, 348_574),
        (619_259, 397_671),
        (241_071, 844_424),
        (321_801, 165_319),
        (139_493, 557_352),
        (508_785, 174_800),
        (398_934, 404_142),
        (860_858, 546_059),
        (674_365, 860_464),
    ],
    deviation: 30_000,
};

/// S2.
pub const S2: Mixture = Mixture {
    centres: [
        (834_220, 637_720),
        (564_548, 247_802),
        (257_635, 742_332),
        (546_668, 436_109),
        (808_321, 241_707),
        (445_012, 611_486),
        (745_598, 490_515),
        (810_815, 798_625),
        (639_888, 716_368),
        (367_949, 393_074),
        (153_217, 241_347),
        (383_641, 170_604),
        (198_897, 480_489),
        (505_997, 849_938),
        (681_475, 151_167),
    ],
    deviation: 38_000,
};
